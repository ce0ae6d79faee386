package recorded

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Wrong is what a judgement says that is not so, nothing where all of it holds: every true
// interval lies within the bounds of its own process, no true overlap is excluded, no
// overlap is seen that was none, and the time in which nobody ran a controller is no
// shorter and no longer than it is told to be. What was not watched may be missing, and who
// asks for no lease is only said to be there.
func Wrong(r judge.Result, truth Truth) ([]string, Tally) {
	c := &comparison{result: r}
	for _, lane := range r.Lanes {
		c.lane, c.ran = lane, truth.within(lane.Controller, r)
		c.intervals()
		c.strangers()
		c.trueOverlaps()
		c.toldOverlaps()
		if !truth.Frozen && !slices.ContainsFunc(c.ran, func(one Ran) bool { return one.Identity == "" }) {
			c.gaps()
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

func (c *comparison) bad(format string, args ...any) {
	c.problems = append(c.problems, c.lane.Controller+": "+fmt.Sprintf(format, args...))
}

// intervals holds every true interval against the bounds of its process.
func (c *comparison) intervals() {
	for _, one := range c.ran {
		i := slices.IndexFunc(c.lane.Intervals, func(i judge.Interval) bool { return i.Process.Identity == one.Identity })
		switch {
		case one.Identity == "": // a recorder of leases cannot see it, and says that it cannot
			if !slices.ContainsFunc(c.result.Notes, func(note string) bool { return strings.Contains(note, "elects no leader") }) {
				c.bad("%s ran from %s without a lease, and nothing says so", one.Process, at(one.From))
			}
		case i >= 0:
			c.tally.Intervals++
			c.bounds(one, c.lane.Intervals[i])
		case !c.covered(one):
			c.bad("%s (%s) ran from %s, was not seen, and nothing says so", one.Process, one.Identity, at(one.From))
		}
	}
}

func (c *comparison) bounds(one Ran, i judge.Interval) {
	end := one.until(c.result)
	if one.From.Before(i.Start.Earliest) {
		c.bad("%s began at %s, told is not before %s", one.Process, at(one.From), at(i.Start.Earliest))
	}
	if from, to, ok := certain(i); ok && (from.Before(one.From) || to.After(end)) {
		c.bad("%s ran from %s to %s, certain is from %s to %s", one.Process, at(one.From), at(end), at(from), at(to))
	}
	if i.End.Latest.IsZero() {
		return
	}
	c.tally.Ends++
	if end.After(i.End.Latest) {
		c.bad("%s ended at %s, told is not after %s", one.Process, at(end), at(i.End.Latest))
	}
}

// strangers are told to have run for certain, and did not.
func (c *comparison) strangers() {
	for _, i := range c.lane.Intervals {
		_, _, ok := certain(i)
		if ok && !slices.ContainsFunc(c.ran, func(one Ran) bool { return one.Identity == i.Process.Identity }) {
			c.bad("%s ran for certain, and nobody saw it run", i.Process.Identity)
		}
	}
}

// trueOverlaps wants every one told of.
func (c *comparison) trueOverlaps() {
	for n, a := range c.ran {
		for _, b := range c.ran[n+1:] {
			from, to, ok := both(a, b, c.result)
			if !ok || a.Identity == b.Identity || a.Identity == "" || b.Identity == "" {
				continue
			}
			c.tally.TrueOverlaps++
			if !c.tells(a, b, from, to) {
				c.bad("%s and %s ran at once from %s to %s, and nothing says so", a.Process, b.Process, at(from), at(to))
			}
		}
	}
}

// tells says whether an overlap of both is told of. Of one that client-go's rule alone
// parts from others, the first of these is told.
func (c *comparison) tells(a, b Ran, from, to time.Time) bool {
	told := false
	for _, o := range c.lane.Overlaps {
		both := names(o, a) && names(o, b)
		if both && o.Kind == judge.Excluded {
			return false
		}
		within := o.Kind == judge.Seen || !from.Before(o.From) && (o.To.IsZero() || !to.After(o.To))
		first := o.First.Identity == a.Identity || o.First.Identity == b.Identity
		told = told || o.Kind != judge.Excluded && within && (both || o.OnlyIfFrozen && first)
	}
	return told || c.unseen(a) || c.unseen(b)
}

func (c *comparison) unseen(one Ran) bool {
	known := slices.ContainsFunc(c.lane.Intervals, func(i judge.Interval) bool { return i.Process.Identity == one.Identity })
	return !known && c.covered(one)
}

// toldOverlaps counts them, and wants those true that were seen.
func (c *comparison) toldOverlaps() {
	for _, o := range c.lane.Overlaps {
		switch o.Kind {
		case judge.Excluded:
			c.tally.Excluded++
		case judge.Possible:
			c.tally.Possible++
		case judge.Seen:
			c.tally.Seen++
			if !c.really(o) {
				c.bad("%s and %s are told as seen at once from %s to %s, and were not", o.First.Identity, o.Second.Identity, at(o.From), at(o.To))
			}
		}
	}
}

func (c *comparison) really(o judge.Overlap) bool {
	for n, a := range c.ran {
		for _, b := range c.ran[n+1:] {
			from, to, ok := both(a, b, c.result)
			if ok && names(o, a) && names(o, b) && !o.From.Before(from) && !o.To.After(to) {
				return true
			}
		}
	}
	return false
}

// gaps wants the time in which nobody ran within what is told of it.
func (c *comparison) gaps() {
	for _, g := range c.lane.Gaps {
		c.tally.Gaps++
		if free := c.free(g.From, g.To); free < g.Least || free > g.Greatest {
			c.bad("between %s and %s nobody ran for %s, told are %s to %s", at(g.From), at(g.To), free, g.Least, g.Greatest)
		}
	}
}

// free is how long in a stretch nobody ran.
func (c *comparison) free(from, to time.Time) time.Duration {
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

// soon is how long before the end of a record whoever begins need not be in it.
const soon = 2 * time.Second

// covered says whether somebody whom nobody saw is told of: something was not watched when
// it began, or it began as the record ended.
func (c *comparison) covered(one Ran) bool {
	blind := slices.ContainsFunc(c.result.Blind(), func(s judge.Stretch) bool { return !s.From.After(one.From) && one.From.Before(s.To) })
	return blind || c.result.Until.Sub(one.From) < soon
}

func names(o judge.Overlap, one Ran) bool {
	return o.First.Identity == one.Identity || o.Second.Identity == one.Identity
}

// certain is when an interval was certainly so; ok is false if never.
func certain(i judge.Interval) (from, to time.Time, ok bool) {
	return i.Start.Latest, i.End.Earliest, i.Certain && i.End.Earliest.After(i.Start.Latest)
}

func at(t time.Time) string { return t.UTC().Format("15:04:05.000") }
