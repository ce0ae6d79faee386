package migration

import "github.com/awsmigrate/awsmigrate/pkg/fault"

// requireRest stops before a write unless everything is where it should be.
func (m *Migration) requireRest(seen Snapshot) error {
	return seen.Reading.Rest(m.Backend.Tell)
}

// Rest is what keeps a cluster from being at rest, as one error; nil: it is.
func (r Reading) Rest(tell func([]Unrest) string) error {
	problems := r.Restless()
	if len(problems) == 0 {
		return nil
	}
	fix := "wait until nothing moves any more, or mend what is named, then run again"
	for _, p := range problems {
		if p.Fix != "" {
			fix = p.Fix + "; then run the same command again"
			break
		}
	}
	return &fault.Error{Class: fault.Check, Reason: "NotAtRest", Object: r.Object,
		Seen: tell(problems), Wanted: "a cluster at rest before anything is written", Fix: fix, Passing: true}
}
