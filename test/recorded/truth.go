package recorded

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Truth is who ran what.
type Truth struct {
	Ran []Ran
	// Frozen says that a process stood still for a while: client-go's rule does not bind it,
	// and nothing that rests on that rule is held against it.
	Frozen bool
}

// Ran is one process running one controller.
type Ran struct {
	Controller string
	Identity   string // that it writes into leases; "": it asked for none
	Process    string // what whoever watched it calls it
	From       time.Time
	To         time.Time // zero: it runs on
}

// Tally is how much there was to compare.
type Tally struct {
	Intervals, Gaps, TrueOverlaps  int
	Seen, Possible, Excluded, Ends int // overlaps by kind; ends that a kubelet reported
}

// within are those that ran a controller while it was recorded. Who runs on does so to the
// end of the record at least.
func (t Truth) within(controller string, r judge.Result) []Ran {
	var all []Ran
	for _, one := range t.Ran {
		if one.Controller == controller && one.From.Before(r.Until) && (one.To.IsZero() || one.To.After(r.From)) {
			all = append(all, one)
		}
	}
	return all
}

// until is when it ended; of one that runs on, a moment behind the record.
func (one Ran) until(r judge.Result) time.Time {
	if one.To.IsZero() {
		return r.Until.Add(time.Nanosecond)
	}
	return one.To
}

// both is when two ran at once; ok is false if never.
func both(a, b Ran, r judge.Result) (from, to time.Time, ok bool) {
	from, to = a.From, a.until(r)
	if b.From.After(from) {
		from = b.From
	}
	if end := b.until(r); end.Before(to) {
		to = end
	}
	return from, to, to.After(from)
}
