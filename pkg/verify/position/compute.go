package position

import (
	"fmt"
	"strings"
)

// Result is a position and how sure it is.
type Result struct {
	Position Position `json:"position"`
	Summary  string   `json:"summary"`
	// Mixed: the cluster lies between two positions; then Position is the lower
	// one of two neighbours, or Unknown. Leaderless is the exception.
	Mixed   bool        `json:"mixed,omitempty"`
	Between [2]Position `json:"between"`
	// HandMade: no run of ours, killed at whatever point, leaves such a cluster.
	// A mixture without HandMade is ours only if the journal holds the intent or
	// Rancher is still applying: that is for the caller to know.
	HandMade bool `json:"handMade,omitempty"`
	// Ungranted: nothing is wrong but that KCMs with the flag may not use the migration
	// lease. The right alone brings the cluster back to a position.
	Ungranted bool     `json:"-"`
	Problems  []string `json:"problems,omitempty"`
}

// Known says whether a next step may be derived from the result.
func (r Result) Known() bool { return r.Position != Unknown }

// AlsoAt are the positions whose checks have something to say beside those of
// Position: what somebody made by hand has parts of every position that it spans,
// and where a CCM is installed it is to be judged, although it does not run yet.
func (r Result) AlsoAt() []Position {
	switch {
	case r.HandMade && r.Between[0] != Unknown:
		return All()[r.Between[0] : r.Between[1]+1]
	case r.Mixed && r.Between == [2]Position{P2, P3}:
		return []Position{P3}
	}
	return nil
}

// Compute gives the position of a cluster. It looks at the state as a whole and
// from the far end: what a later step takes away again (the flag, the grant, the
// lease) is never missed on a cluster that is past it.
func Compute(e Evidence) Result {
	c := take(e.KCMs)
	hazards := hazards(e, c)
	if gaps := gaps(e, c); len(gaps) > 0 {
		return Result{Position: Unknown, Summary: "position not known: " + gaps[0], Between: span(e, c), Problems: append(gaps, hazards...)}
	}
	if len(hazards) > 0 {
		between := span(e, c)
		return Result{
			Position: Unknown, Mixed: true, HandMade: true, Between: between, Problems: hazards,
			Ungranted: len(hazards) == 1 && ungranted(e, c),
			Summary:   fmt.Sprintf("half-migrated by hand, between %s and %s: %s", between[0], between[1], hazards[0]),
		}
	}
	switch {
	case c.all(c.external):
		return external(e)
	case len(c.external) > 0:
		return between(P3, P4, fmt.Sprintf("%d of %d KCMs external", len(c.external), c.total))
	case e.CCM.Seen == Yes && e.CCM.Complete:
		return at(P3)
	case e.CCM.Seen == Yes:
		return between(P2, P3, "CCM installed, not yet running on every control plane")
	case c.all(c.flagged):
		return at(P2)
	case len(c.flagged) > 0:
		return between(P1, P2, fmt.Sprintf("flag on %d of %d KCMs", len(c.flagged), c.total))
	case e.Grant == Yes:
		return at(P1)
	case e.Grant == Partial, e.OwnGrant == Yes:
		return between(P0, P1, "grant on the migration lease incomplete")
	}
	return at(P0)
}

// external judges a cluster on which every KCM is external without the flag and
// a CCM exists.
func external(e Evidence) Result {
	ccm := e.CCM
	if ccm.Migration && ccm.PodsWithout == 0 {
		switch e.Lease {
		case HeldByCCM:
			return at(P4)
		case Nobody:
			return leaderless()
		case HeldByKCM:
			return between(P3, P4, "every KCM external, migration lease not yet with the CCM")
		case NoLease, OwnerUnseen:
		}
		return between(P3, P4, "every KCM external, the CCM has not made the migration lease yet")
	}
	switch {
	case ccm.Migration || ccm.PodsWith > 0:
		return between(P4, P5, fmt.Sprintf("CCM pods with the flag: %d, without: %d", ccm.PodsWith, ccm.PodsWithout))
	case e.Lease != NoLease:
		return between(P4, P5, "CCM without flag, migration lease still there")
	case e.OwnGrant == Yes:
		return between(P4, P5, "CCM without flag, our grant still there")
	}
	return at(P5)
}

// leaderless is a cluster with the configuration of P4 that nobody is seen to run the
// controllers of. No KCM can take the lease, so it waits for a CCM and for nothing
// else: it is judged, and taken further, as one at P4, and is not there.
func leaderless() Result {
	r := between(P3, P4, "every KCM external, no living process holds the migration lease")
	r.Position, r.Problems = P4, []string{"no living process holds the migration lease"}
	return r
}

// Leaderless says whether a CCM that renews the migration lease is all that keeps the
// cluster from P4.
func (r Result) Leaderless() bool { return r.Mixed && r.Position == P4 && r.Between[1] == P4 }

// MayHaveReached says whether any part of the cluster is at a position or beyond it.
func (r Result) MayHaveReached(p Position) bool { return r.Between[1] >= p }

// Text is where the cluster is, in a line for people: the position, its rungs, and what it
// means. Between two positions neither of them stands before the words: the cluster is at
// none.
func (r Result) Text() string {
	switch {
	case r.Mixed:
		return r.Summary
	case r.Position.Words() == "":
		return r.Position.String() + "   " + r.Summary
	}
	return r.Position.String() + "  " + r.Position.Rungs() + "  " + r.Position.Words()
}

func at(p Position) Result {
	return Result{Position: p, Summary: p.Summary(), Between: [2]Position{p, p}}
}

func between(a, b Position, why string) Result {
	return Result{Position: a, Summary: fmt.Sprintf("between %s and %s: %s", a, b, why), Mixed: true, Between: [2]Position{a, b}}
}

// span is the range of positions that the single parts of the evidence show.
func span(e Evidence, c census) [2]Position {
	var seen []Position
	if len(c.plain) > 0 {
		if e.Grant == Yes {
			seen = append(seen, P1)
		} else {
			seen = append(seen, P0)
		}
	}
	if len(c.flagged) > 0 {
		seen = append(seen, P2)
		if e.Grant == No || e.Grant == Partial {
			seen = append(seen, P0)
		}
	}
	if len(c.external)+len(c.starving) > 0 {
		seen = append(seen, P4)
	}
	switch {
	case e.CCM.Seen == No && len(seen) > 0:
		seen = append(seen, min(seen[0], P2))
	case e.CCM.Seen == Yes && (e.CCM.Migration || e.CCM.PodsWith > 0):
		seen = append(seen, P3)
	case e.CCM.Seen == Yes:
		seen = append(seen, P5)
	}
	if len(seen) == 0 {
		return [2]Position{Unknown, Unknown}
	}
	low, high := seen[0], seen[0]
	for _, p := range seen {
		low, high = min(low, p), max(high, p)
	}
	return [2]Position{low, high}
}

func list(names []string) string { return strings.Join(names, ", ") }
