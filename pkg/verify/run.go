package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Options say which checks a run makes.
type Options struct {
	// Position is where the cluster is. Checks of other positions are skipped;
	// at position.Unknown none is, because nothing then says which would not apply.
	Position position.Position
	// Skip maps IDs to the reason somebody gave. A skip without a reason, of an
	// ID that does not exist, or of a check that must not be skipped is refused:
	// the check runs, and the report says so.
	Skip map[string]string
	// Only restricts the run to these IDs, ID prefixes ("AWSM-3") or categories.
	// Such a report is Partial and proves nothing about the rest.
	Only []string
	// KeepGuards runs the checks that must not be skipped whatever Only says:
	// before a write no selection may leave them out.
	KeepGuards bool
}

// RunAll makes every check that is asked for. None hides another: a check that
// panics, and every check after ctx has ended, is Unknown.
func RunAll(ctx context.Context, checks []Bound, o Options) Report {
	r := Report{Position: o.Position, Counts: map[Status]int{}, Refused: Refusals(checks, o)}
	refused := map[string]bool{}
	for _, f := range r.Refused {
		refused[f.ID] = true
	}
	for _, c := range checks {
		if !o.selects(c.Meta) {
			r.Partial = true
			continue
		}
		r.add(one(ctx, c, o, refused[c.ID]))
	}
	return r
}

// onRequest begins the reason of a skip that somebody asked for.
const onRequest = "skipped on request: "

func one(ctx context.Context, c Bound, o Options, skipRefused bool) Result {
	res := Result{Meta: c.Meta}
	reason, asked := o.Skip[c.ID]
	switch {
	case asked && !skipRefused:
		res.Status, res.Reason = Skip, onRequest+strings.TrimSpace(reason)
		return res
	case !applies(c.Meta, o.Position):
		res.Status, res.Reason = Skip, fmt.Sprintf("applies at %s; the cluster is at %s", spell(c.Applies), o.Position)
		return res
	case ctx.Err() != nil:
		res.Status, res.Reason = Unknown, "not looked: "+context.Cause(ctx).Error()
		return res
	}
	res.Findings = contained(c)
	for i, f := range res.Findings {
		if f.Status == Skip && c.Names {
			res.Findings[i].Status = Unknown
			res.Findings[i].Reason = "decides node names, and its evidence is missing: " + f.Reason
		}
	}
	res.Status = worst(res.Findings)
	if res.Status == Skip || res.Status == Unknown {
		res.Reason = firstReason(res.Findings, res.Status)
	}
	return res
}

// contained makes one check and turns a panic into a result, so that a defect
// in one judgement costs that judgement and not the audit.
func contained(c Bound) (findings []Finding) {
	defer func() {
		if p := recover(); p != nil {
			findings = []Finding{{Status: Unknown, Object: c.ID, Reason: fmt.Sprintf("the check itself failed: %v", p)}}
		}
	}()
	return c.judge()
}

func applies(m Meta, p position.Position) bool {
	return len(m.Applies) == 0 || p == position.Unknown || slices.Contains(m.Applies, p)
}

func (o Options) selects(m Meta) bool {
	if len(o.Only) == 0 || o.KeepGuards && (m.Unskip || m.Names) {
		return true
	}
	return slices.ContainsFunc(o.Only, func(s string) bool { return matches(s, m) })
}

func matches(selector string, m Meta) bool {
	return strings.EqualFold(selector, m.Category) ||
		strings.HasPrefix(strings.ToUpper(m.ID), strings.ToUpper(selector)) && selector != ""
}

// Refusals are the requests that are not followed. They can be told before
// anything is read.
func Refusals(checks []Bound, o Options) []Refusal {
	var refused []Refusal
	byID := map[string]Meta{}
	for _, c := range checks {
		byID[c.ID] = c.Meta
	}
	ids := make([]string, 0, len(o.Skip))
	for id := range o.Skip {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		m, known := byID[id]
		switch {
		case !known:
			refused = append(refused, Refusal{id, "there is no such check"})
		case strings.TrimSpace(o.Skip[id]) == "":
			refused = append(refused, Refusal{id, "a skip needs a reason: " + id + "=REASON"})
		case m.Unskip:
			refused = append(refused, Refusal{id, "this check cannot be skipped"})
		case m.Names:
			refused = append(refused, Refusal{id, "this check decides node names and cannot be skipped"})
		}
	}
	for _, s := range o.Only {
		if !slices.ContainsFunc(checks, func(c Bound) bool { return matches(s, c.Meta) }) {
			refused = append(refused, Refusal{s, "names no check and no category"})
		}
	}
	return refused
}

func spell(ps []position.Position) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.String()
	}
	return strings.Join(names, ", ")
}

func firstReason(fs []Finding, s Status) string {
	for _, f := range fs {
		if f.Status == s {
			return f.Reason
		}
	}
	return ""
}
