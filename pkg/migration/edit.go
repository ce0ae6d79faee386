package migration

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Edit is a change of a cluster's configuration, computed and not yet made.
type Edit struct {
	Object  string          // what is changed: "Cluster fleet-default/demo"
	Changes []runner.Change // none: the configuration has all of it
	By      string          // who wrote the object last; "" where that is not seen
	// Refused is why it may not be made, whatever else holds; nil: it may.
	Refused error
	// Plan describes the edit before it is made, and what it restarts.
	Plan func() (runner.Plan, error)
	// Write makes it: intent and inverse first, then the change, on the condition that
	// nothing of what it was computed from has moved.
	Write func(ctx context.Context, tx *runner.Tx) error
	// Announce keeps intent and inverse in the journal and changes nothing: whoever
	// keeps the configuration makes the edit. nil: nobody does.
	Announce func(ctx context.Context, tx *runner.Tx) error
}

// Empty says whether nothing is left to change.
func (e Edit) Empty() bool { return len(e.Changes) == 0 }

// Locations are the places that it changes, for messages.
func (e Edit) Locations() []string {
	var all []string
	for _, c := range e.Changes {
		if c.Location != "" {
			all = append(all, c.Location)
		}
	}
	return all
}

// Key is the same for edits that change the same.
func (e Edit) Key() string { return fmt.Sprint(e.Changes) }

// Rollout is what a Backend sees of the rollout of a step's edit, in one observation. How
// far the machines are from the step's target follows from the Reading.
type Rollout struct {
	// Verdict ends the judgement: a component cannot start, a program still runs, the edit
	// was reverted. nil: nothing of that kind.
	Verdict *runner.Verdict
	// Applying describes what the owner of the rollout has still to do.
	Applying []string
	// Left describes what the cluster as a whole still has from before the edit.
	Left []string
	// Unrestarted holds the kube-controller-managers, by ID, that run what they ran before
	// the edit.
	Unrestarted map[string]bool
	// Doing describes, by member, what is at work on a machine.
	Doing    map[string]string
	Evidence string        // what proves that the edit is applied, if the machines alone do not
	Progress string        // changes exactly when something moved
	By       runner.Roller // who carries it out
	// Whole is the reading for the next call: this one, if the configuration lacks nothing.
	Whole Config
}

// Editor edits the configuration of one kind of cluster.
type Editor interface {
	// Edit returns what the last of steps still has to change, on top of the edits of the
	// steps before it, which are not made yet. Of a step that takes another back it returns
	// the newest edit that is left. An edit of an earlier step that cannot be computed
	// counts as none: the plan of that step says so.
	Edit(ctx context.Context, seen Snapshot, steps ...Editing) (Edit, error)
	// Apply has an edit applied that is made, if that does not happen without a run.
	Apply(ctx context.Context, tx *runner.Tx, seen Snapshot, step Editing) error
	// Rollout returns what shows how far the edit of a step is. whole is the last reading in
	// which the configuration lacked nothing of it, or nil.
	Rollout(ctx context.Context, tx *runner.Tx, seen Snapshot, step Editing, whole Config) (Rollout, error)
	// WhileRolling does what is due of its own while a step waits. busy: the owner of the
	// rollout may still undo what a run does to Nodes.
	WhileRolling(ctx context.Context, tx *runner.Tx, seen Snapshot, step Editing) (busy bool, err error)
	// Finish ends what runs for a step before the run leaves it; see runner.Finisher.
	Finish(ctx context.Context, tx *runner.Tx, step journal.StepID, graceful bool) error
}
