package verify

// Unjudged are checks that nobody could make, every one Unknown for the same
// reason.
func Unjudged(metas []Meta, reason string) []Bound {
	bound := make([]Bound, 0, len(metas))
	for _, m := range metas {
		bound = append(bound, Bound{Meta: m, judge: func() []Finding { return []Finding{{Status: Unknown, Reason: reason}} }})
	}
	return bound
}

// Recorded is what a check found at another time, in another process.
type Recorded struct {
	ID       string    `json:"id"`
	Findings []Finding `json:"findings,omitempty"`
}

// Record makes every check, whatever its positions, and keeps what each found.
func Record(checks []Bound) []Recorded {
	all := make([]Recorded, 0, len(checks))
	for _, c := range checks {
		all = append(all, Recorded{ID: c.ID, Findings: contained(c)})
	}
	return all
}

// Replay are checks that find again what was recorded. One that was not recorded
// is Unknown; what was recorded of a check that is not among metas is left out.
func Replay(metas []Meta, recorded []Recorded) []Bound {
	found := map[string][]Finding{}
	known := map[string]bool{}
	for _, r := range recorded {
		found[r.ID], known[r.ID] = r.Findings, true
	}
	bound := make([]Bound, 0, len(metas))
	for _, m := range metas {
		if !known[m.ID] {
			bound = append(bound, Unjudged([]Meta{m}, "not recorded")...)
			continue
		}
		bound = append(bound, Bound{Meta: m, judge: func() []Finding { return append([]Finding(nil), found[m.ID]...) }})
	}
	return bound
}
