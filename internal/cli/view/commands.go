package view

import (
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// GoingBack is the page on going back.
const GoingBack = "docs/going-back.md"

// Commands are what to type next about the target of a run, as a shell takes them.
type Commands struct {
	Run, Undo, Status string
	Upgrade           string                  // of Kubernetes, for a version to be filled in; "": not from here
	Report            func(run string) string // of one run; nil: no record of it is kept
	Undoing           bool                    // the run is an undo, and Run takes it up
	ByCommits         bool                    // somebody else makes the edits
	Following         bool                    // the run is another's
	NoWayBack         journal.StepID          // the step behind which no undo goes
}

// Next is the command for whoever reads the end of a run: the rest of the
// migration, or a look at what it came to.
func (c Commands) Next(seen runner.Observation) string {
	if seen.Pending() && !c.Following {
		return c.Run
	}
	return c.Status
}
