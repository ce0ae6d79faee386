package window

import (
	"time"

	"github.com/robfig/cron/v3"
)

// window is one that was parsed.
type window struct {
	schedule cron.Schedule // of a clock that never changes; package doc
	zone     *time.Location
	duration time.Duration
}

// begins finds the moments in which one window begins, up to a limit. All its times are
// in UTC.
type begins struct {
	window
	limit time.Time
	last  *offset // looked up last: most questions are about the time around it
}

// offset is by how much a zone's clocks are ahead of UTC. It holds from an instant until
// another; the zero time: for ever.
type offset struct {
	from, until time.Time
	ahead       time.Duration
}

func (o offset) holds(t time.Time) bool {
	return !t.Before(o.from) && (o.until.IsZero() || t.Before(o.until))
}

// first is the first begin at or after from; the zero time: none up to the limit.
func (b *begins) first(from time.Time) time.Time {
	for !from.After(b.limit) {
		at := b.offset(from)
		wall := b.schedule.Next(from.Add(at.ahead).Add(-1)) // Next is of what comes after
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

func (b *begins) offset(t time.Time) offset {
	if b.last != nil && b.last.holds(t) {
		return *b.last
	}
	local := t.In(b.zone)
	_, seconds := local.Zone()
	_, until := local.ZoneBounds()
	if !until.IsZero() && !until.After(t) {
		// So on the last day of a leap year where zone data has a rule for the future
		// and no more transitions (golang/go#81583); no rule changes clocks on it.
		until = t.Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	b.last = &offset{from: t, until: until.UTC(), ahead: time.Duration(seconds) * time.Second}
	return *b.last
}

// latest is the last begin up to a moment, if first is one. It halves the span, so that
// a window that begins every minute of a week costs fourteen questions.
func (b *begins) latest(first, upTo time.Time) time.Time {
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
