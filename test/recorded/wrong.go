package recorded

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Wrong returns the false claims of a judgement, or nil. Every true interval must lie within the
// bounds of its own process. No true overlap may be excluded, and each seen overlap must be true.
// Each gap must lie within its bounds. Unwatched facts may be missing. A process without a lease
// need only be mentioned.
func Wrong(r judge.Result, truth Truth) ([]string, Tally) {
	c := &comparison{result: r}
	for _, lane := range r.Lanes {
		c.lane, c.ran = lane, truth.within(lane.Controller, r)
		c.checkIntervals()
		c.checkStrangers()
		c.checkTrueOverlaps()
		c.checkJudgedOverlaps()
		if !truth.Frozen && !slices.ContainsFunc(c.ran, func(one Ran) bool { return one.Identity == "" }) {
			c.checkGaps()
		}
	}
	return c.problems, c.tally
}

// comparison compares one controller after another.
type comparison struct {
	result   judge.Result
	lane     judge.Lane
	ran      []Ran
	problems []string
	tally    Tally
}

func (c *comparison) addProblem(format string, args ...any) {
	c.problems = append(c.problems, c.lane.Controller+": "+fmt.Sprintf(format, args...))
}

// checkIntervals checks every true interval against the bounds of its process.
func (c *comparison) checkIntervals() {
	for _, one := range c.ran {
		i := slices.IndexFunc(c.lane.Intervals, func(i judge.Interval) bool { return i.Process.Identity == one.Identity })
		switch {
		case one.Identity == "": // a recorder of leases cannot see it, and must report that
			if !slices.ContainsFunc(c.result.Notes, func(note string) bool { return strings.Contains(note, "elects no leader") }) {
				c.addProblem("%s ran from %s without a lease, and nothing says so", one.Process, formatTime(one.From))
			}
		case i >= 0:
			c.tally.Intervals++
			c.checkBounds(one, c.lane.Intervals[i])
		case !c.covered(one):
			c.addProblem("%s (%s) ran from %s, was not seen, and nothing says so", one.Process, one.Identity, formatTime(one.From))
		}
	}
}

func (c *comparison) checkBounds(one Ran, i judge.Interval) {
	end := one.until(c.result)
	if one.From.Before(i.Start.Earliest) {
		c.addProblem("%s began at %s, the judgement says not before %s", one.Process, formatTime(one.From), formatTime(i.Start.Earliest))
	}
	if from, to, ok := certain(i); ok && (from.Before(one.From) || to.After(end)) {
		c.addProblem("%s ran from %s to %s, the judgement is certain of %s to %s", one.Process, formatTime(one.From), formatTime(end), formatTime(from), formatTime(to))
	}
	if i.End.Latest.IsZero() {
		return
	}
	c.tally.Ends++
	if end.After(i.End.Latest) {
		c.addProblem("%s ended at %s, the judgement says not after %s", one.Process, formatTime(end), formatTime(i.End.Latest))
	}
}

// checkStrangers checks that each certain process did run.
func (c *comparison) checkStrangers() {
	for _, i := range c.lane.Intervals {
		_, _, ok := certain(i)
		if ok && !slices.ContainsFunc(c.ran, func(one Ran) bool { return one.Identity == i.Process.Identity }) {
			c.addProblem("%s ran for certain, but the observer did not see it", i.Process.Identity)
		}
	}
}

// checkTrueOverlaps checks that every true overlap is reported.
func (c *comparison) checkTrueOverlaps() {
	for n, a := range c.ran {
		for _, b := range c.ran[n+1:] {
			from, to, ok := intersect(a, b, c.result)
			if !ok || a.Identity == b.Identity || a.Identity == "" || b.Identity == "" {
				continue
			}
			c.tally.TrueOverlaps++
			if !c.isReported(a, b, from, to) {
				c.addProblem("%s and %s ran at once from %s to %s, and nothing says so", a.Process, b.Process, formatTime(from), formatTime(to))
			}
		}
	}
}

// isReported reports whether the judgement has the overlap of both processes. If only client-go's
// rule separates a process from all others, the overlap names just the first.
func (c *comparison) isReported(a, b Ran, from, to time.Time) bool {
	reported := false
	for _, o := range c.lane.Overlaps {
		both := involves(o, a) && involves(o, b)
		if both && o.Kind == judge.Excluded {
			return false
		}
		within := o.Kind == judge.Seen || !from.Before(o.From) && (o.To.IsZero() || !to.After(o.To))
		first := o.First.Identity == a.Identity || o.First.Identity == b.Identity
		reported = reported || o.Kind != judge.Excluded && within && (both || o.OnlyIfFrozen && first)
	}
	return reported || c.isExcused(a) || c.isExcused(b)
}

func (c *comparison) isExcused(one Ran) bool {
	known := slices.ContainsFunc(c.lane.Intervals, func(i judge.Interval) bool { return i.Process.Identity == one.Identity })
	return !known && c.covered(one)
}

// checkJudgedOverlaps counts the overlaps, and checks that each seen one is true.
func (c *comparison) checkJudgedOverlaps() {
	for _, o := range c.lane.Overlaps {
		switch o.Kind {
		case judge.Excluded:
			c.tally.Excluded++
		case judge.Possible:
			c.tally.Possible++
		case judge.Seen:
			c.tally.Seen++
			if !c.isTrue(o) {
				c.addProblem("%s and %s are judged seen at once from %s to %s, but were not", o.First.Identity, o.Second.Identity, formatTime(o.From), formatTime(o.To))
			}
		}
	}
}

func (c *comparison) isTrue(o judge.Overlap) bool {
	for n, a := range c.ran {
		for _, b := range c.ran[n+1:] {
			from, to, ok := intersect(a, b, c.result)
			if ok && involves(o, a) && involves(o, b) && !o.From.Before(from) && !o.To.After(to) {
				return true
			}
		}
	}
	return false
}

// checkGaps checks that each true gap lies within its bounds.
func (c *comparison) checkGaps() {
	for _, g := range c.lane.Gaps {
		c.tally.Gaps++
		if free := c.freeTime(g.From, g.To); free < g.Least || free > g.Greatest {
			c.addProblem("between %s and %s no process ran for %s, the judgement says %s to %s", formatTime(g.From), formatTime(g.To), free, g.Least, g.Greatest)
		}
	}
}

// freeTime returns how long no process ran between two times.
func (c *comparison) freeTime(from, to time.Time) time.Duration {
	ran := slices.Clone(c.ran)
	slices.SortFunc(ran, func(a, b Ran) int { return a.From.Compare(b.From) })
	var free time.Duration
	for _, one := range ran {
		begin, end := one.From, one.until(c.result)
		if begin.After(to) {
			break
		}
		if begin.After(from) {
			free += begin.Sub(from)
		}
		if end.After(from) {
			from = end
		}
	}
	if to.After(from) {
		free += to.Sub(from)
	}
	return free
}

// missingAtEndLimit is the time before the end of a record in which a start may be missing.
const missingAtEndLimit = 2 * time.Second

// covered reports whether the judgement may lack a process: it began while something was not
// watched, or just before the record ended.
func (c *comparison) covered(one Ran) bool {
	blind := slices.ContainsFunc(c.result.Blind(), func(s judge.Stretch) bool { return !s.From.After(one.From) && one.From.Before(s.To) })
	return blind || c.result.Until.Sub(one.From) < missingAtEndLimit
}

func involves(o judge.Overlap, one Ran) bool {
	return o.First.Identity == one.Identity || o.Second.Identity == one.Identity
}

// certain returns the interval in which a process certainly ran; ok is false if it is empty.
func certain(i judge.Interval) (from, to time.Time, ok bool) {
	return i.Start.Latest, i.End.Earliest, i.Certain && i.End.Earliest.After(i.Start.Latest)
}

func formatTime(t time.Time) string { return t.UTC().Format("15:04:05.000") }
