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

// Rollout is what a Backend sees of the rollout of a step's edit, in one observation.
type Rollout struct {
	WaitingFor string // in the words of the Backend; "": in those of the step
	// Verdict ends the judgement: a component cannot start, a program still runs, the
	// edit was taken back. nil: nothing of that kind.
	Verdict *runner.Verdict
	// Applying is what whoever applies the edit has still to do, in words.
	Applying []string
	// Open is what machines and components still lack of it, in words; Done of Total
	// lack nothing.
	Open        []string
	Done, Total int
	Machines    []runner.Machine // those that the step changes
	Evidence    string           // what proves that all have it, once nothing is open
	Progress    string           // changes exactly when something moved
	By          runner.Roller    // who carries it out
	// Last is asked once nothing else is open, and adds what is; nil: there is nothing.
	Last func(ctx context.Context, r *RolloutJudgement) error
}

// Editor is what differs between clusters in the steps that edit the configuration.
type Editor interface {
	// Edit is what a step still has to change, by what was observed; of a step that
	// takes another back, what is left of that one's edits.
	Edit(ctx context.Context, seen Snapshot, step journal.StepID) (Edit, error)
	// PlanEdit is the plan of a step: its edit, on top of those of the steps before it.
	PlanEdit(ctx context.Context, seen Snapshot, step journal.StepID) (runner.Plan, error)
	// Apply has an edit applied that is made and not applied, where that does not
	// happen by itself.
	Apply(ctx context.Context, tx *runner.Tx, seen Snapshot, step journal.StepID) error
	// Rollout says how far the edit of a step is.
	Rollout(ctx context.Context, tx *runner.Tx, seen Snapshot, step journal.StepID) (Rollout, error)
	// WhileRolling does what is due of its own while a step waits. busy: whoever
	// applies the edit may still undo what a run does to Nodes.
	WhileRolling(ctx context.Context, tx *runner.Tx, seen Snapshot, step journal.StepID) (busy bool, err error)
	// Finish ends what runs for a step before the run leaves it; see runner.Finisher.
	Finish(ctx context.Context, tx *runner.Tx, step journal.StepID, graceful bool) error
}
