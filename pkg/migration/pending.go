package migration

import "github.com/awsmigrate/awsmigrate/pkg/fault"

// PendingCondition describes one reason why a cluster is not at rest.
type PendingCondition struct {
	Object, Seen, Wanted string
	// Fix is the action that a person must take, or empty if the condition ends without one.
	Fix string
	// OurPause reports whether the only reason is the pause that an earlier run set.
	OurPause bool

	// Line replaces Object and Seen in a summary, unless it is empty.
	Line string `json:"-"`
	// Leads reports whether the condition comes first in a summary. Repeats reports whether
	// it restates a leading condition; a summary leaves it out.
	Leads, Repeats bool `json:"-"`

	// Kind, Name and Condition hold the content of Seen for code that selects among several
	// conditions. A bundle stores only the words.
	Kind      PendingKind `json:"-"`
	Name      string      `json:"-"` // name of Object, without its kind
	Condition Condition   `json:"-"` // the condition that is not True; zero if the reason is no condition
}

// PendingKind names the subject of a PendingCondition. Each backend defines its own kinds;
// it is empty if no code selects by it.
type PendingKind string

// Condition is a status condition of an API object.
type Condition struct{ Type, Status, Reason, Message string }

// AllPending lists the conditions that are still changing or broken. It includes Nodes that are not Ready,
// since they would return with old arguments.
func (r Reading) AllPending() []PendingCondition {
	return append(append([]PendingCondition{}, r.Pending...), r.NodesNotReady()...)
}

// RequireSettled returns an error if the cluster is not at rest.
func (r Reading) RequireSettled() error {
	problems := r.AllPending()
	if len(problems) == 0 {
		return nil
	}
	fix := "wait until nothing changes, or fix the named objects, then run again"
	for _, p := range problems {
		if p.Fix != "" {
			fix = p.Fix + "; then run the same command again"
			break
		}
	}
	return &fault.Error{Class: fault.Check, Reason: "NotAtRest", Object: r.Object,
		Seen: SummarizePending(problems), Wanted: "a cluster at rest before anything is written", Fix: fix, Transient: true}
}
