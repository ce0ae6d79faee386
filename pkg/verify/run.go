package verify

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Options selects the checks of a run.
type Options struct {
	// Position is the cluster's position. Checks of other positions are skipped; at
	// position.Unknown no check is, because it is unknown which ones do not apply.
	Position position.Position
	// Skip maps IDs to the user's reasons. The run refuses a skip without a reason, of an unknown
	// ID, or of a check that must not be skipped: the check runs, and the report notes it.
	Skip map[string]string
	// Only restricts the run to these IDs, ID prefixes ("AWSM-3") or categories.
	// Such a report is Partial and proves nothing about the rest.
	Only []string
	// KeepGuards runs the checks that must not be skipped, regardless of Only: before a write no
	// selection may leave them out.
	KeepGuards bool
	// PositionUnknown reports whether Position is Unknown because evidence is missing. A failure
	// of a check for certain positions may then be normal, so it is Unknown as well.
	PositionUnknown bool
	// AlsoAt holds positions whose checks run besides those of Position. If Position is Unknown,
	// only these run; if AlsoAt is empty then, all checks run.
	AlsoAt []position.Position
	// Deadline limits the time of one check, or is 0 for DefaultDeadline. A check beyond it is
	// Unknown, and its goroutine is abandoned: a judgement is a pure computation and takes no
	// context.
	Deadline time.Duration
}

// DefaultDeadline limits one check. Checks take milliseconds; the limit is for a defect that
// loops on the data of some cluster.
const DefaultDeadline = 30 * time.Second

// RunAll runs every selected check independently, with as many at a time as there are processors.
// A check is Unknown if it panics, takes too long, or starts after ctx has ended. The results
// have the order of the checks.
func RunAll(ctx context.Context, checks []Bound, o Options) Report {
	r := Report{Position: o.Position, Counts: map[Status]int{}, Refused: Refusals(checks, o)}
	refused := map[string]bool{}
	for _, f := range r.Refused {
		refused[f.ID] = true
	}
	var selected []Bound
	for _, c := range checks {
		if !o.selects(c.Meta) {
			r.Partial = true
			continue
		}
		selected = append(selected, c)
	}
	results := make([]Result, len(selected))
	var running errgroup.Group
	running.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range selected {
		running.Go(func() error {
			results[i] = runCheck(ctx, c, o, refused[c.ID])
			return nil
		})
	}
	_ = running.Wait() // no check returns an error
	for _, res := range results {
		r.add(res)
	}
	return r
}

// onRequest begins the reason of a skip that the user requested.
const onRequest = "skipped on request: "

func runCheck(ctx context.Context, c Bound, o Options, skipRefused bool) Result {
	res := Result{Meta: c.Meta}
	reason, asked := o.Skip[c.ID]
	switch {
	case asked && !skipRefused:
		res.Status, res.Reason = Skip, onRequest+strings.TrimSpace(reason)
		return res
	case !o.applies(c.Meta):
		res.Status, res.Reason, res.OtherPosition = Skip, o.otherPosition(c.Meta), true
		return res
	case ctx.Err() != nil:
		res.Status, res.Reason = Unknown, "not looked: "+context.Cause(ctx).Error()
		return res
	}
	res.Findings = o.judgeInTime(ctx, c)
	for i, f := range res.Findings {
		if o.PositionUnknown && len(c.Applies) > 0 && (f.Status == Fail || f.Status == Warn) {
			res.Findings[i].Status, res.Findings[i].Fix = Unknown, ""
			res.Findings[i].Reason = "applies at " + spell(c.Applies) + ", and the position is not known: " + f.Seen
		}
		if f.Status == Skip && c.DecidesNames {
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

// judgeInTime runs one check within its deadline.
func (o Options) judgeInTime(ctx context.Context, c Bound) []Finding {
	deadline := o.Deadline
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, fmt.Errorf("the check itself took longer than %s", deadline))
	defer cancel()
	done := make(chan []Finding, 1)
	go func() { done <- judgeSafely(c) }()
	select {
	case findings := <-done:
		return findings
	case <-ctx.Done():
		return []Finding{{Status: Unknown, Object: c.ID, Reason: "not looked: " + context.Cause(ctx).Error()}}
	}
}

// judgeSafely runs one check and turns a panic into a finding: a defect in one check must not end
// the audit.
func judgeSafely(c Bound) (findings []Finding) {
	defer func() {
		if p := recover(); p != nil {
			findings = []Finding{{Status: Unknown, Object: c.ID, Reason: fmt.Sprintf("the check itself failed: %v", p)}}
		}
	}()
	return c.judge()
}

func (o Options) applies(m Meta) bool {
	switch {
	case len(m.Applies) == 0:
		return true
	case o.Position != position.Unknown && slices.Contains(m.Applies, o.Position), o.Position == position.Unknown && len(o.AlsoAt) == 0:
		return true
	}
	return slices.ContainsFunc(m.Applies, func(p position.Position) bool { return slices.Contains(o.AlsoAt, p) })
}

// otherPosition returns the positions at which a check applies, and the cluster's.
func (o Options) otherPosition(m Meta) string {
	if o.Position == position.Unknown {
		return fmt.Sprintf("applies at %s; judged as at %s", spell(m.Applies), spell(o.AlsoAt))
	}
	return fmt.Sprintf("applies at %s; the cluster is at %s", spell(m.Applies), o.Position)
}

func (o Options) selects(m Meta) bool {
	if len(o.Only) == 0 || o.KeepGuards && !m.Skippable() {
		return true
	}
	return slices.ContainsFunc(o.Only, func(s string) bool { return matches(s, m) })
}

func matches(selector string, m Meta) bool {
	return strings.EqualFold(selector, m.Category) ||
		strings.HasPrefix(strings.ToUpper(m.ID), strings.ToUpper(selector)) && selector != ""
}

// Refusals returns the requests that a run refuses. They are known before anything is read.
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
		case m.Mandatory:
			refused = append(refused, Refusal{id, "this check cannot be skipped"})
		case m.DecidesNames:
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
