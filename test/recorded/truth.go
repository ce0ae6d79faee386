package recorded

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Truth describes which process ran which controller.
type Truth struct {
	Ran []Ran
	// Frozen reports whether a process was frozen for a while. Such a process escapes client-go's
	// rule, so false conclusions from that rule are accepted.
	Frozen bool
}

// Ran is one process running one controller.
type Ran struct {
	Controller string
	Identity   string // the identity in leases; empty if the process asked for none
	Process    string // the observer's name for the process
	From       time.Time
	To         time.Time // zero if the process is still running
}

// Tally counts the compared facts.
type Tally struct {
	Intervals, Gaps, TrueOverlaps  int
	Seen, Possible, Excluded, Ends int // overlaps by kind; ends that a kubelet reported
}

// within returns the processes that ran a controller during the record.
func (t Truth) within(controller string, r judge.Result) []Ran {
	var all []Ran
	for _, one := range t.Ran {
		if one.Controller == controller && one.From.Before(r.Until) && (one.To.IsZero() || one.To.After(r.From)) {
			all = append(all, one)
		}
	}
	return all
}

// until returns the end of the process. If it is still running, the end is just after that of the
// record.
func (one Ran) until(r judge.Result) time.Time {
	if one.To.IsZero() {
		return r.Until.Add(time.Nanosecond)
	}
	return one.To
}

// intersect returns the interval in which both processes ran; ok is false if it is empty.
func intersect(a, b Ran, r judge.Result) (from, to time.Time, ok bool) {
	from, to = a.From, a.until(r)
	if b.From.After(from) {
		from = b.From
	}
	if end := b.until(r); end.Before(to) {
		to = end
	}
	return from, to, to.After(from)
}
