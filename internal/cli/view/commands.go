package view

import (
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// GoingBack is the path of the page about going back.
const GoingBack = "docs/going-back.md"

// Commands holds the next commands for a target, as a shell accepts them.
type Commands struct {
	Run, Undo, Status string
	UpgradePath       string                  // shows the later releases of Kubernetes, or ""
	Report            func(run string) string // prints one run, or nil without records
	Undoing           bool                    // the run is an undo, and Run continues it
	ByCommits         bool                    // the edits are made by commits of another owner
	Following         bool                    // the run belongs to another process
	NoWayBack         journal.StepID          // the step after which no undo is possible
}

// Next returns the command after a run: the rest of the migration, or its status.
func (c Commands) Next(seen runner.Observation) string {
	if seen.Pending() && !c.Following {
		return c.Run
	}
	return c.Status
}
