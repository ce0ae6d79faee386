package migration

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Edit describes a computed change of a cluster's configuration that is not made yet.
type Edit struct {
	Object  string          // the changed object: "Cluster fleet-default/demo"
	Changes []runner.Change // empty if the configuration already has the edit
	By      string          // last writer of the object; empty if unknown
	// Refused explains why the edit must never be made, or is nil.
	Refused error
	// Plan describes the edit and the restarts that it causes.
	Plan func() (runner.Plan, error)
	// Write records intent and inverse, then makes the edit. The write fails if the object
	// has changed since the edit was computed.
	Write func(ctx context.Context, tx *runner.Tx) error
	// Announce records intent and inverse in the journal and changes nothing, since the
	// configuration's owner makes the edit. It is nil if no owner does.
	Announce func(ctx context.Context, tx *runner.Tx) error
}

// Empty reports whether nothing is left to change.
func (e Edit) Empty() bool { return len(e.Changes) == 0 }

// Locations returns the changed locations, for messages.
func (e Edit) Locations() []string {
	var all []string
	for _, c := range e.Changes {
		if c.Location != "" {
			all = append(all, c.Location)
		}
	}
	return all
}

// Key returns equal strings for edits with equal changes.
func (e Edit) Key() string { return fmt.Sprint(e.Changes) }

// Rollout describes the rollout of a step's edit in one observation, as a Backend sees it.
// The distance of the machines from the step's target follows from the Reading instead.
type Rollout struct {
	// Verdict ends the judgement because a component cannot start, a program still runs, or
	// the edit was reverted. Otherwise it is nil.
	Verdict *runner.Verdict
	// Applying describes the remaining work of the rollout's owner.
	Applying []string
	// Left describes remains of the state before the edit that belong to no single machine.
	Left []string
	// Unrestarted holds the IDs of the kube-controller-managers that have not restarted since
	// the edit.
	Unrestarted map[string]bool
	// Doing describes, by member, the current activity on a machine.
	Doing    map[string]string
	Evidence string        // proves that the edit is applied, if the machines alone do not
	Progress string        // changes exactly when the rollout advances
	By       runner.Roller // carries the rollout out
	// Whole is passed to the next call: this configuration if it has the whole edit, or else
	// the last one that had it.
	Whole Config
}

// Editor edits the configuration of one kind of cluster.
type Editor interface {
	// Edit returns the remaining change of the last of steps, on top of the edits of the
	// earlier steps, which are not made yet. For a step that undoes another it returns the
	// newest edit that is not undone. If the edit of an earlier step cannot be computed, Edit
	// ignores it, since the plan of that step reports the error.
	Edit(ctx context.Context, seen Snapshot, steps ...Editing) (Edit, error)
	// Apply starts the rollout of an edit that is made, if nothing else starts it.
	Apply(ctx context.Context, tx *runner.Tx, seen Snapshot, step Editing) error
	// Rollout returns the progress of a step's edit. whole is the last configuration that had
	// the whole edit, or nil.
	Rollout(ctx context.Context, tx *runner.Tx, seen Snapshot, step Editing, whole Config) (Rollout, error)
	// WhileRolling does the backend's own work while a step waits. busy reports whether the
	// owner of the rollout may still undo changes of the run to Nodes.
	WhileRolling(ctx context.Context, tx *runner.Tx, seen Snapshot, step Editing) (busy bool, err error)
	// Finish ends the processes of a step before the run leaves it; see runner.Finisher.
	Finish(ctx context.Context, tx *runner.Tx, step journal.StepID, graceful bool) error
}
