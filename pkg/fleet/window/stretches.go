package window

import (
	"iter"
	"time"
)

// Horizon is how far every answer looks for what opens. Each schedule that Parse takes
// names a minute of every year; only if clocks skip that one it is not within the horizon.
const Horizon = 400 * 24 * time.Hour

// Stretch is a time without a gap in which windows are open: Opens is inside, Closes is
// not. Both in UTC.
type Stretch struct {
	Opens, Closes time.Time
}

// Length is elapsed time.
func (s Stretch) Length() time.Duration { return s.Closes.Sub(s.Opens) }

// stretches are those that are open at or after a moment and open within the horizon, in
// order. One that is open already begins with the moment. One that is as long as reach,
// at most Horizon, is cut off there and is the last.
func (s Set) stretches(now time.Time, reach time.Duration) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		now = now.Round(0).UTC()
		cursors := s.cursors(now)
		for opens := next(cursors); !opens.IsZero() && !opens.After(now.Add(Horizon)); opens = next(cursors) {
			opens = later(opens, now)
			end := opens.Add(reach)
			closes := merge(cursors, opens, end)
			if !closes.Before(end) {
				yield(Stretch{Opens: opens, Closes: end})
				return
			}
			if !yield(Stretch{Opens: opens, Closes: closes}) {
				return
			}
		}
	}
}

// cursor is how far the begins of one window were looked at.
type cursor struct {
	begins
	next time.Time // the first begin that was not; the zero time: none is left
}

// cursors begin with the windows that are still open.
func (s Set) cursors(now time.Time) []*cursor {
	var cursors []*cursor
	for _, w := range s.windows {
		c := &cursor{begins: begins{window: w, limit: now.Add(2 * Horizon)}} // what opens at the horizon is seen to its end
		c.next = c.first(now.Add(1 - w.duration))
		cursors = append(cursors, c)
	}
	return cursors
}

// next is the first begin of all, the zero time where none is left.
func next(cursors []*cursor) time.Time {
	var first time.Time
	for _, c := range cursors {
		if !c.next.IsZero() && (first.IsZero() || c.next.Before(first)) {
			first = c.next
		}
	}
	return first
}

// merge is when a stretch closes, or some time not before end. It takes up the windows
// that begin in it until none does.
func merge(cursors []*cursor, closes, end time.Time) time.Time {
	for grown := true; grown && closes.Before(end); {
		grown = false
		for _, c := range cursors {
			if !c.next.IsZero() && !c.next.After(closes) {
				closes, grown = later(closes, c.take(closes)), true
			}
		}
	}
	return closes
}

// take gives the end of the last window that begins up to a moment, and goes behind it.
// What begins now and then is counted up, what begins often is searched for.
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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
