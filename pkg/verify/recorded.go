package verify

// Unjudged returns checks that are all Unknown for the same reason.
func Unjudged(metas []Meta, reason string) []Bound {
	bound := make([]Bound, 0, len(metas))
	for _, m := range metas {
		bound = append(bound, Bound{Meta: m, judge: func() []Finding { return []Finding{{Status: Unknown, Reason: reason}} }})
	}
	return bound
}

// Recorded holds the findings of a check from an earlier process.
type Recorded struct {
	ID       string    `json:"id"`
	Findings []Finding `json:"findings,omitempty"`
}

// Record runs every check, regardless of its positions, and returns the findings.
func Record(checks []Bound) []Recorded {
	all := make([]Recorded, 0, len(checks))
	for _, c := range checks {
		all = append(all, Recorded{ID: c.ID, Findings: judgeSafely(c)})
	}
	return all
}

// Replay returns checks that repeat recorded findings. A check without a recording is Unknown;
// recordings of checks that are not among metas are dropped.
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
