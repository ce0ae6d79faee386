package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Bound is a moment that is known to lie between two others.
type Bound struct {
	Earliest time.Time `json:"earliest,omitzero"` // zero: before the record
	Latest   time.Time `json:"latest,omitzero"`   // zero: nothing says by when
	Source   string    `json:"source"`            // lease or kubelet
}

// Process is who runs a controller.
type Process struct {
	Identity  string `json:"identity"`
	Program   string `json:"program,omitempty"` // "": nothing tells
	Host      string `json:"host,omitempty"`
	Container string `json:"container,omitempty"` // ID, where it is known which
}

// Interval is one process running one controller: possibly from Start.Earliest to
// End.Latest, certainly, if Certain, from Start.Latest to End.Earliest, and certainly not
// outside of the former.
type Interval struct {
	Process Process `json:"process"`
	Start   Bound   `json:"start"`
	End     Bound   `json:"end"`
	Certain bool    `json:"certain"`
	// ByRule is when it had ended by client-go's rule, if it was not frozen; zero: the
	// rule does not say that it had.
	ByRule time.Time `json:"byRule,omitzero"`
	// Running says that nothing had ended it when the record did.
	Running bool   `json:"running,omitempty"`
	Why     string `json:"why,omitempty"` // why it is not certain, or why nothing shows its end

	ended time.Time // by its kubelet's own clock: for the length of a gap; zero: not known
}

// Kind is how sure an overlap is.
type Kind string

// Kinds of overlaps.
const (
	Seen     Kind = "seen"
	Possible Kind = "possible"
	Excluded Kind = "excluded"
)

// Overlap is what is known of two processes running one controller at once. Where it
// was seen, it lasted at least from From to To; where it is possible, it can have lasted
// no longer; where it is excluded, both are zero.
type Overlap struct {
	Kind   Kind      `json:"kind"`
	First  Process   `json:"first"`
	Second Process   `json:"second"`
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"` // zero: nothing bounds it
	// OnlyIfFrozen: by client-go's rule there was none. One that was frozen, or whose
	// replies came late, is not bound by it.
	OnlyIfFrozen bool   `json:"onlyIfFrozen,omitempty"`
	Why          string `json:"why"`
}

// Gap is a stretch in which possibly nobody ran a controller.
type Gap struct {
	From     time.Time     `json:"from"` // of the longest that it can have been
	To       time.Time     `json:"to"`
	Least    time.Duration `json:"least"`
	Greatest time.Duration `json:"greatest"`
	Before   *Process      `json:"before,omitempty"`
	After    *Process      `json:"after,omitempty"` // nil: the record ends in it
}

// Lane is what is known of one controller.
type Lane struct {
	Controller string     `json:"controller"`
	Intervals  []Interval `json:"intervals"`
	Overlaps   []Overlap  `json:"overlaps"`
	More       int        `json:"moreOverlaps,omitempty"` // that are left out: none is worse than the worst of these
	Gaps       []Gap      `json:"gaps"`
}

// Result is what a record comes to.
type Result struct {
	Header record.Header `json:"header"`
	From   time.Time     `json:"from"`
	Until  time.Time     `json:"until"`
	Ended  bool          `json:"ended"` // false: the record was cut off
	Lanes  []Lane        `json:"lanes"`
	// Unwatched are the stretches in which something was not seen.
	Unwatched []record.Unwatched `json:"unwatched"`
	// Unseen are stretches in which a process that nobody saw may have led.
	Unseen []Stretch `json:"unseen"`
	Notes  []string  `json:"notes"` // what else limits the judgement
	World  World     `json:"world"`
	Runs   []Run     `json:"runs,omitempty"` // of awsmigrate, while it was recorded
}

// Stretch is a stretch of time, and why it is special.
type Stretch struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to"`
	Why  string    `json:"why"`
}

// Verdict is a record in a few words.
type Verdict string

// Verdicts, the worst first.
const (
	Double    Verdict = "overlap seen"
	NotSeen   Verdict = "not all was watched"
	CannotSay Verdict = "overlap possible"
	ByRule    Verdict = "overlap excluded by the lease's rule"
	Single    Verdict = "overlap excluded"
)

// Verdict is the worst of what was seen. A stretch that was not watched is unknown, and
// never no overlap. A process that stood still is not bound by the lease's rule, which is a
// limit of every record and no finding.
func (r Result) Verdict() Verdict {
	verdict := Single
	for _, l := range r.Lanes {
		for _, o := range l.Overlaps {
			switch {
			case o.Kind == Seen:
				return Double
			case o.Kind == Possible && !o.OnlyIfFrozen:
				verdict = CannotSay
			case o.Kind == Possible && verdict == Single:
				verdict = ByRule
			}
		}
	}
	if len(r.Blind()) > 0 {
		return NotSeen
	}
	return verdict
}

// shortBlind is for how long pods may not be watched without leaving the question of an overlap
// open: those that are there show the ends of before.
const shortBlind = time.Minute

// Blind are the stretches that leave the question of an overlap open: somebody may have led who
// was not seen, pods were not watched for long, or leases to the end. Where leases are listed
// again, their counts of transitions tell whether somebody else held one.
func (r Result) Blind() []Stretch {
	var all []Stretch
	for _, m := range r.Unwatched {
		open := m.Unreadable || m.Why == neverWatched || !m.Until.Before(r.Until)
		decides := m.Stream == record.Leases && open || m.Stream == record.Pods && (open || m.Until.Sub(m.From) > shortBlind)
		if decides && m.Lost {
			all = append(all, Stretch{From: m.From, To: m.Until, Why: string(m.Stream) + " were not watched"})
		}
	}
	return append(all, r.Unseen...)
}

// neverWatched is why a stream has no beginning.
const neverWatched = "it was never watched"
