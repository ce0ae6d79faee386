package window

import (
	"iter"
	"time"
)

// Horizon is the look-ahead of Fits. Every schedule that Parse accepts names a minute of every
// year. It may be missing within Horizon only if clocks skip that minute.
const Horizon = 400 * 24 * time.Hour

// Interval is an interval in which windows are open without a gap. It includes Opens and excludes
// Closes; both are in UTC.
type Interval struct {
	Opens, Closes time.Time
}

// Length returns the elapsed time.
func (s Interval) Length() time.Duration { return s.Closes.Sub(s.Opens) }

// intervals yields, in order, the intervals that are open at or after now and open within
// Horizon. An interval that is already open begins at now. An interval of length reach, at most
// Horizon, is cut there and is the last.
func (s Set) intervals(now time.Time, reach time.Duration) iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		now = now.Round(0).UTC()
		cursors := s.cursors(now)
		for opens := next(cursors); !opens.IsZero() && !opens.After(now.Add(Horizon)); opens = next(cursors) {
			opens = laterOf(opens, now)
			end := opens.Add(reach)
			closes := merge(cursors, opens, end)
			if !closes.Before(end) {
				yield(Interval{Opens: opens, Closes: end})
				return
			}
			if !yield(Interval{Opens: opens, Closes: closes}) {
				return
			}
		}
	}
}

// cursor is a position in the begins of one window.
type cursor struct {
	beginFinder
	next time.Time // the next begin, or zero if none is left
}

// cursors returns one cursor per window. Each begins with the first window that is still open.
func (s Set) cursors(now time.Time) []*cursor {
	var cursors []*cursor
	for _, w := range s.windows {
		c := &cursor{beginFinder: beginFinder{window: w, limit: now.Add(2 * Horizon)}} // a window that opens at the horizon is followed to its end
		c.next = c.first(now.Add(1 - w.duration))
		cursors = append(cursors, c)
	}
	return cursors
}

// next returns the earliest begin of all cursors, or zero.
func next(cursors []*cursor) time.Time {
	var first time.Time
	for _, c := range cursors {
		if !c.next.IsZero() && (first.IsZero() || c.next.Before(first)) {
			first = c.next
		}
	}
	return first
}

// merge returns when an interval closes, or a time not before end. It adds the windows that begin
// in the interval until none does.
func merge(cursors []*cursor, closes, end time.Time) time.Time {
	for grown := true; grown && closes.Before(end); {
		grown = false
		for _, c := range cursors {
			if !c.next.IsZero() && !c.next.After(closes) {
				closes, grown = laterOf(closes, c.take(closes)), true
			}
		}
	}
	return closes
}

// take returns the end of the last window that begins up to a time, and moves the cursor past it.
// It steps over rare begins and bisects frequent ones.
func (c *cursor) take(upTo time.Time) time.Time {
	const few = 3
	last := c.next
	c.next = c.first(last.Add(1))
	for i := 0; !c.next.IsZero() && !c.next.After(upTo); i++ {
		last = c.next
		if i == few {
			last = c.latest(last, upTo)
		}
		c.next = c.first(last.Add(1))
	}
	return last.Add(c.duration)
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
