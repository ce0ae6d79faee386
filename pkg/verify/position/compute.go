package position

import (
	"fmt"
	"strings"
)

// Result holds a position and its certainty.
type Result struct {
	Position Position `json:"position"`
	Summary  string   `json:"summary"`
	// Mixed means that the cluster lies between two positions. Position is then the lower of
	// two neighbors, or Unknown. See Leaderless for the exception.
	Mixed   bool        `json:"mixed,omitempty"`
	Between [2]Position `json:"between"`
	// HandMade means that no run of awsmigrate leaves such a cluster, wherever it is killed.
	// A mixed cluster that is not HandMade comes from a run only if the journal holds the
	// intent or Rancher is still applying an edit. The caller must check that.
	HandMade bool `json:"handMade,omitempty"`
	// Ungranted means that the only problem is the missing grant on the migration lease.
	// Granting it returns the cluster to a position.
	Ungranted bool `json:"-"`
	// CCMLeads means that the CCM holds the migration lease.
	CCMLeads bool     `json:"-"`
	Problems []string `json:"problems,omitempty"`
}

// Known reports whether a next step may be derived from the result.
func (r Result) Known() bool { return r.Position != Unknown }

// AlsoAt returns further positions whose checks apply. A cluster that was migrated by hand
// has parts of every position in its range. An installed CCM is checked before it runs.
func (r Result) AlsoAt() []Position {
	switch {
	case r.HandMade && r.Between[0] != Unknown:
		return All()[r.Between[0] : r.Between[1]+1]
	case r.Mixed && r.Between == [2]Position{P2, P3}:
		return []Position{P3}
	}
	return nil
}

// Compute returns the position of a cluster. It judges the whole state and the latest
// positions first, because later steps remove the flag, the grant and the lease again.
func Compute(e Evidence) Result {
	c := countModes(e.KCMs)
	hazards := hazards(e, c)
	if gaps := gaps(e, c); len(gaps) > 0 {
		return Result{Position: Unknown, Summary: "position not known: " + gaps[0], Between: positionRange(e, c), Problems: append(gaps, hazards...)}
	}
	if len(hazards) > 0 {
		between := positionRange(e, c)
		return Result{
			Position: Unknown, Mixed: true, HandMade: true, Between: between, Problems: hazards,
			Ungranted: len(hazards) == 1 && ungranted(e, c),
			Summary:   fmt.Sprintf("half-migrated by hand, between %s and %s: %s", between[0], between[1], hazards[0]),
		}
	}
	switch {
	case c.all(c.external):
		return computeExternal(e)
	case len(c.external) > 0:
		return between(P3, P4, fmt.Sprintf("%d of %d KCMs external", len(c.external), c.total))
	case e.CCM.Seen == Yes && e.CCM.Complete:
		r := at(P3)
		r.CCMLeads = e.Lease == HeldByCCM
		return r
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

// computeExternal judges a cluster with a CCM on which every KCM is external without the
// flag.
func computeExternal(e Evidence) Result {
	ccm := e.CCM
	if ccm.Migration && ccm.PodsWithout == 0 {
		switch e.Lease {
		case HeldByCCM:
			return at(P4)
		case NoHolder:
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

// leaderless returns the result for the configuration of P4 without a living leader. No KCM
// can acquire the lease, so the cluster only waits for a CCM. Checks and steps treat it as
// P4, but it has not reached P4.
func leaderless() Result {
	r := between(P3, P4, "every KCM external, no living process holds the migration lease")
	r.Position, r.Problems = P4, []string{"no living process holds the migration lease"}
	return r
}

// Leaderless reports whether the cluster is at P4 except that no CCM renews the migration
// lease.
func (r Result) Leaderless() bool { return r.Mixed && r.Position == P4 && r.Between[1] == P4 }

// MayHaveReached reports whether any part of the cluster is at p or beyond it.
func (r Result) MayHaveReached(p Position) bool { return r.Between[1] >= p }

// Text describes the result in one line for people: the position, its rungs and its meaning.
// A cluster between two positions has no rungs.
func (r Result) Text() string {
	switch {
	case r.Mixed:
		return r.Summary
	case r.Words() == "":
		return r.Position.String() + "   " + r.Summary
	}
	return r.Position.String() + "  " + r.Position.Rungs() + "  " + r.Words()
}

// Words describes the position for people, P3 by the holder of the migration lease.
func (r Result) Words() string {
	switch {
	case r.Position != P3 || r.Mixed:
		return r.Position.Words()
	case r.CCMLeads:
		return "new controller in charge, no machine switched yet"
	}
	return "new controller installed, in-tree provider still in charge"
}

func at(p Position) Result {
	return Result{Position: p, Summary: p.Summary(), Between: [2]Position{p, p}}
}

func between(a, b Position, why string) Result {
	return Result{Position: a, Summary: fmt.Sprintf("between %s and %s: %s", a, b, why), Mixed: true, Between: [2]Position{a, b}}
}

// positionRange returns the lowest and highest position that parts of the evidence show.
func positionRange(e Evidence, c census) [2]Position {
	var shown []Position
	if len(c.plain) > 0 {
		if e.Grant == Yes {
			shown = append(shown, P1)
		} else {
			shown = append(shown, P0)
		}
	}
	if len(c.flagged) > 0 {
		shown = append(shown, P2)
		if e.Grant == No || e.Grant == Partial {
			shown = append(shown, P0)
		}
	}
	if len(c.external)+len(c.starving) > 0 {
		shown = append(shown, P4)
	}
	switch {
	case e.CCM.Seen == No && len(shown) > 0:
		shown = append(shown, min(shown[0], P2))
	case e.CCM.Seen == Yes && (e.CCM.Migration || e.CCM.PodsWith > 0):
		shown = append(shown, P3)
	case e.CCM.Seen == Yes:
		shown = append(shown, P5)
	}
	if len(shown) == 0 {
		return [2]Position{Unknown, Unknown}
	}
	low, high := shown[0], shown[0]
	for _, p := range shown {
		low, high = min(low, p), max(high, p)
	}
	return [2]Position{low, high}
}

func list(names []string) string { return strings.Join(names, ", ") }
