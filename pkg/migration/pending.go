package migration

import "github.com/awsmigrate/awsmigrate/pkg/fault"

// PendingCondition is one reason why a cluster is not at rest.
type PendingCondition struct {
	Object, Seen, Wanted string
	// Fix is what a person does about it; "" for what passes by itself.
	Fix string
	// OurPause: the brake of an earlier run, and nothing else.
	OurPause bool

	// Line is what a summary shows; empty: Object and Seen.
	Line string `json:"-"`
	// Leads puts it first in a summary. What it says in other words Repeats; that is left
	// out there.
	Leads, Repeats bool `json:"-"`

	// Kind, Name and Condition are what Seen says, for code: which of several to show
	// is chosen by them, never by words. A bundle keeps the words alone.
	Kind      PendingKind `json:"-"`
	Name      string      `json:"-"` // of Object, without its kind
	Condition Condition   `json:"-"` // that is not True; zero where it is none
}

// PendingKind is what a PendingCondition is about; the backend that finds it out names its own,
// and "" is what nothing chooses by.
type PendingKind string

// Condition is a status condition of an API object.
type Condition struct{ Type, Status, Reason, Message string }

// AllPending lists what still moves, or is broken: a Node that is not Ready would
// come back with old arguments.
func (r Reading) AllPending() []PendingCondition {
	return append(append([]PendingCondition{}, r.Pending...), r.NodesNotReady()...)
}

// RequireSettled is what keeps a cluster from being at rest, as one error; nil: it is.
func (r Reading) RequireSettled() error {
	problems := r.AllPending()
	if len(problems) == 0 {
		return nil
	}
	fix := "wait until nothing moves any more, or fix what is named, then run again"
	for _, p := range problems {
		if p.Fix != "" {
			fix = p.Fix + "; then run the same command again"
			break
		}
	}
	return &fault.Error{Class: fault.Check, Reason: "NotAtRest", Object: r.Object,
		Seen: SummarizePending(problems), Wanted: "a cluster at rest before anything is written", Fix: fix, Transient: true}
}
