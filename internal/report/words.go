package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const clockOfDay = "15:04:05.0"

// Sentence returns the verdict as a sentence.
func Sentence(r judge.Result) string {
	switch r.Verdict() {
	case judge.Double:
		o := firstSeen(r)
		return fmt.Sprintf("Two processes ran a cloud controller at once: %s, from %s to %s at least.", pair(o), clock(o.From), clock(o.To))
	case judge.NotSeen:
		var total time.Duration
		for _, s := range r.Blind() {
			total = max(total, s.To.Sub(s.From))
		}
		return fmt.Sprintf("No overlap was seen, but up to %s at a stretch was not watched.", seconds(total))
	case judge.CannotSay:
		return "No overlap was seen, and one cannot be excluded: a process may not have ended yet when the next began."
	case judge.ByRule:
		return "No two processes ran a cloud controller at once, by the rule of their leases."
	case judge.Single:
	}
	if !anybody(r) {
		return "No process was seen to run a cloud controller."
	}
	return "No two processes ran a cloud controller at once."
}

// Footnote returns the limit of a verdict that is no finding, or "".
func Footnote(r judge.Result) string {
	if r.Verdict() != judge.ByRule {
		return ""
	}
	return "The limit of this: a kubelet reports no end of a static pod that it replaces, and none of a container that RKE runs. " +
		"By its renew deadline each process had ended before the next began, unless it was frozen."
}

func anybody(r judge.Result) bool {
	return slices.ContainsFunc(r.Lanes, func(l judge.Lane) bool { return len(l.Intervals) > 0 })
}

// firstSeen returns the first overlap that was seen, or the zero value.
func firstSeen(r judge.Result) judge.Overlap {
	for _, l := range r.Lanes {
		for _, o := range l.Overlaps {
			if o.Kind == judge.Seen {
				return o
			}
		}
	}
	return judge.Overlap{}
}

func pair(o judge.Overlap) string { return who(o.First) + " and " + who(o.Second) }

// who returns a process in short: its program and its host.
func who(p judge.Process) string {
	host := p.Host
	if host == "" {
		host = p.Identity
	}
	return short(p.Program) + " on " + host
}

// short returns the short name of a program.
func short(program string) string {
	switch program {
	case wellknown.KCM:
		return "KCM"
	case wellknown.CCM:
		return "CCM"
	}
	return "unknown program"
}

// Ran returns the time of a process in a line.
func Ran(i judge.Interval) string {
	certain := "possibly"
	if i.Certain {
		certain = "certainly"
	}
	return fmt.Sprintf("%s ran it from %s until %s (%s): %s, %s", who(i.Process), began(i.Start), ended(i), i.End.Source, certain, i.Process.Identity)
}

func began(b judge.Bound) string {
	if b.Earliest.IsZero() {
		return "before the record"
	}
	return between(b.Earliest, b.Latest)
}

func ended(i judge.Interval) string {
	switch {
	case i.Running:
		return "the end of the record"
	case i.End.Earliest.IsZero() && !i.End.Latest.IsZero():
		return clock(i.End.Latest) + " at most"
	case !i.End.Latest.IsZero():
		return between(i.End.Earliest, i.End.Latest)
	case i.End.Earliest.IsZero() && !i.ByRule.IsZero():
		return fmt.Sprintf("its renew deadline %s at most", clock(i.ByRule))
	case i.End.Earliest.IsZero():
		return "a time that nothing shows"
	case !i.ByRule.IsZero():
		return fmt.Sprintf("%s at least, by its renew deadline %s at most", clock(i.End.Earliest), clock(i.ByRule))
	}
	return fmt.Sprintf("%s at least", clock(i.End.Earliest))
}

// between returns a time by its bounds.
func between(a, b time.Time) string {
	if a.Equal(b) || b.Sub(a) < 100*time.Millisecond {
		return clock(b)
	}
	return clock(a) + "–" + clock(b)
}

// GapText returns a gap in a line.
func GapText(g judge.Gap) string {
	after := "and the record ends in it"
	if g.After != nil {
		after = "then " + who(*g.After)
	}
	return fmt.Sprintf("gap of %s to %s behind %s (%s), %s", seconds(g.Least), seconds(g.Greatest), who(*g.Before), clock(g.From), after)
}

// maxLines limits the lines of one list, on a terminal and on a page.
const maxLines = 500

// LaneLines returns the gaps and overlaps of a controller.
func LaneLines(r judge.Result, l judge.Lane) []string {
	var all []string
	for _, g := range l.Gaps {
		if off := runsOff(r, l, g); off != "" {
			all = append(all, "from "+clock(g.From)+" on "+off)
			continue
		}
		all = append(all, GapText(g))
	}
	for _, o := range l.Overlaps {
		all = append(all, OverlapText(o))
	}
	return bounded(all, l.More)
}

// bounded returns the first lines, and the number of the others.
func bounded(all []string, more int) []string {
	if n := len(all) - maxLines; n > 0 {
		all, more = all[:maxLines:maxLines], more+n
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return all
}

// RanLines returns the processes of a controller.
func RanLines(l judge.Lane) []string {
	var all []string
	for _, i := range l.Intervals[:min(len(l.Intervals), maxLines)] {
		all = append(all, Ran(i))
	}
	return bounded(all, len(l.Intervals)-len(all))
}

// OverlapText returns an overlap in a sentence.
func OverlapText(o judge.Overlap) string {
	switch o.Kind {
	case judge.Seen:
		return fmt.Sprintf("overlap seen from %s to %s at least: %s. %s.", clock(o.From), clock(o.To), pair(o), o.Why)
	case judge.Possible:
		if o.OnlyIfFrozen {
			return fmt.Sprintf("overlap excluded by the rule of their leases: %s. %s.", pair(o), o.Why)
		}
		to := "an end that nothing shows"
		if !o.To.IsZero() {
			to = clock(o.To)
		}
		return fmt.Sprintf("overlap possible between %s and %s: %s. %s.", orBefore(o.From), to, pair(o), o.Why)
	case judge.Excluded:
	}
	return fmt.Sprintf("overlap excluded: %s. %s.", pair(o), o.Why)
}

func orBefore(t time.Time) string {
	if t.IsZero() {
		return "the time before the record"
	}
	return clock(t)
}

// NotSeen returns the limits of a judgement, a line each.
func NotSeen(r judge.Result) []string {
	var all []string
	for _, m := range r.Unwatched {
		if !isLostAnyway(m, r.Unwatched) {
			all = append(all, missedText(m))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, u := range r.Unseen {
		all = append(all, fmt.Sprintf("from %s to %s %s", orBefore(u.From), clock(u.To), u.Why))
	}
	if !r.Ended {
		all = append(all, "the record was cut off: its recorder did not end it")
	}
	return bounded(append(all, r.Notes...), 0)
}

// isLostAnyway reports whether a time whose events only came late is part of one whose events are
// lost. After an outage a watch resumes, and the first answer may be that its version has expired.
func isLostAnyway(m record.Unwatched, all []record.Unwatched) bool {
	return !m.Lost && slices.ContainsFunc(all, func(other record.Unwatched) bool {
		return other.Lost && other.Stream == m.Stream && !m.From.Before(other.From) && !m.Until.After(other.Until)
	})
}

// missedText returns an unwatched time in a line.
func missedText(m record.Unwatched) string {
	what := fmt.Sprintf("%s: not watched from %s to %s", m.Stream, clock(m.From), clock(m.Until))
	if !m.Lost {
		what = fmt.Sprintf("%s: came late between %s and %s, nothing is missing", m.Stream, clock(m.From), clock(m.Until))
	}
	if m.Why != "" {
		what += " (" + m.Why + ")"
	}
	return what
}

func clock(t time.Time) string { return t.UTC().Format(clockOfDay) }

func seconds(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
}
