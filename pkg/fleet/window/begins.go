package window

import (
	"time"

	"github.com/robfig/cron/v3"
)

// window is a parsed Spec.
type window struct {
	schedule cron.Schedule // in UTC; see the package comment
	zone     *time.Location
	duration time.Duration
}

// beginFinder finds the times at which one window begins, up to a limit. All its times are in UTC.
type beginFinder struct {
	window
	limit time.Time
	last  *offset // cache: most calls are for times near each other
}

// offset is the difference of a zone's clocks from UTC, from one instant until another. A zero
// until means forever.
type offset struct {
	from, until time.Time
	ahead       time.Duration
}

func (o offset) holds(t time.Time) bool {
	return !t.Before(o.from) && (o.until.IsZero() || t.Before(o.until))
}

// first returns the first begin at or after from, or the zero time if the limit comes first.
func (b *beginFinder) first(from time.Time) time.Time {
	for !from.After(b.limit) {
		at := b.offset(from)
		wall := b.schedule.Next(from.Add(at.ahead).Add(-1)) // Next is exclusive
		if begin := wall.Add(-at.ahead); !wall.IsZero() && at.holds(begin) {
			if begin.After(b.limit) {
				break
			}
			return begin
		}
		if at.until.IsZero() {
			break
		}
		from = at.until
	}
	return time.Time{}
}

func (b *beginFinder) offset(t time.Time) offset {
	if b.last != nil && b.last.holds(t) {
		return *b.last
	}
	local := t.In(b.zone)
	_, seconds := local.Zone()
	_, until := local.ZoneBounds()
	if !until.IsZero() && !until.After(t) {
		// This happens on the last day of a leap year if zone data has a rule for the future and
		// no further transitions (golang/go#81583). No rule changes clocks on that day.
		until = t.Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	b.last = &offset{from: t, until: until.UTC(), ahead: time.Duration(seconds) * time.Second}
	return *b.last
}

// latest returns the last begin up to a time, if first is a begin. It bisects the interval: a
// window that begins every minute of a week needs fourteen steps.
func (b *beginFinder) latest(first, upTo time.Time) time.Time {
	for upTo.Sub(first) >= time.Minute {
		middle := first.Add(upTo.Sub(first)/2 + 1)
		if begin := b.first(middle); !begin.IsZero() && !begin.After(upTo) {
			first = begin
		} else {
			upTo = middle.Add(-1)
		}
	}
	return first
}
