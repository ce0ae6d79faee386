package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Bound is a time with a known lower and upper limit.
type Bound struct {
	Earliest time.Time `json:"earliest,omitzero"` // zero if before the record
	Latest   time.Time `json:"latest,omitzero"`   // zero if unknown
	Source   string    `json:"source"`            // lease or kubelet
}

// Process identifies a process that runs a controller.
type Process struct {
	Identity  string `json:"identity"`
	Program   string `json:"program,omitempty"` // empty if unknown
	Host      string `json:"host,omitempty"`
	Container string `json:"container,omitempty"` // ID, or empty if unknown
}

// Interval is a run of one controller by one process. It possibly lasts from Start.Earliest to
// End.Latest. If Certain, it certainly lasts from Start.Latest to End.Earliest.
type Interval struct {
	Process Process `json:"process"`
	Start   Bound   `json:"start"`
	End     Bound   `json:"end"`
	Certain bool    `json:"certain"`
	// ByRule holds the time by which the process had exited by client-go's own rule, unless it was
	// frozen. It is zero while the rule decides nothing.
	ByRule time.Time `json:"byRule,omitzero"`
	// Running reports whether the process still ran at the end of the record.
	Running bool   `json:"running,omitempty"`
	Why     string `json:"why,omitempty"` // why it is not certain, or why its end is unknown

	ended time.Time // by its kubelet's clock, for the length of a gap; zero if unknown
}

// Kind is the certainty of an overlap.
type Kind string

// Kinds of overlaps.
const (
	Seen     Kind = "seen"
	Possible Kind = "possible"
	Excluded Kind = "excluded"
)

// Overlap describes whether two processes ran one controller at once. An observed overlap lasted
// at least from From to To. A possible one lasted at most that long. For an excluded one both are
// zero.
type Overlap struct {
	Kind   Kind      `json:"kind"`
	First  Process   `json:"first"`
	Second Process   `json:"second"`
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"` // zero if unlimited
	// OnlyIfFrozen reports whether client-go's rule excludes the overlap. The rule does not bind a
	// process that was frozen or whose replies were late.
	OnlyIfFrozen bool   `json:"onlyIfFrozen,omitempty"`
	Why          string `json:"why"`
}

// Gap is a span in which possibly no process ran a controller.
type Gap struct {
	From     time.Time     `json:"from"` // begin of its longest possible extent
	To       time.Time     `json:"to"`
	Least    time.Duration `json:"least"`
	Greatest time.Duration `json:"greatest"`
	Before   *Process      `json:"before,omitempty"`
	After    *Process      `json:"after,omitempty"` // nil if the record ends in it
}

// Lane holds the findings about one controller.
type Lane struct {
	Controller string     `json:"controller"`
	Intervals  []Interval `json:"intervals"`
	Overlaps   []Overlap  `json:"overlaps"`
	More       int        `json:"moreOverlaps,omitempty"` // omitted overlaps, none worse than the worst of these
	Gaps       []Gap      `json:"gaps"`
}

// Result holds the findings of a record.
type Result struct {
	Header record.Header `json:"header"`
	From   time.Time     `json:"from"`
	Until  time.Time     `json:"until"`
	Ended  bool          `json:"ended"` // false if the record was cut off
	Lanes  []Lane        `json:"lanes"`
	// Unwatched holds the gaps of the watches.
	Unwatched []record.Unwatched `json:"unwatched"`
	// Unseen holds the spans in which an unseen process may have led.
	Unseen []Stretch `json:"unseen"`
	Notes  []string  `json:"notes"` // further limits of the judgement
	World  World     `json:"world"`
	Runs   []Run     `json:"runs,omitempty"` // runs of awsmigrate during the record
}

// Stretch is a span of time with its meaning.
type Stretch struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to"`
	Why  string    `json:"why"`
}

// Verdict summarizes a record.
type Verdict string

// Verdicts, worst first.
const (
	Double    Verdict = "overlap seen"
	NotSeen   Verdict = "not all was watched"
	CannotSay Verdict = "overlap possible"
	ByRule    Verdict = "overlap excluded by the lease's rule"
	Single    Verdict = "overlap excluded"
)

// Verdict returns the worst finding. An unwatched span counts as unknown, never as free of
// overlaps. The lease's rule does not bind a frozen process; that limits every record and is no
// finding.
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

// maxBlindPods limits the time without a watch of pods that leaves no question open: the
// remaining pods show the ends of earlier containers.
const maxBlindPods = time.Minute

// Blind returns the spans that leave open whether processes overlapped: an unseen process may
// have led, pods were not watched for long, or leases were not watched until the end. After a new
// list of leases, their counts of transitions show other holders.
func (r Result) Blind() []Stretch {
	var all []Stretch
	for _, m := range r.Unwatched {
		open := m.Unreadable || m.Why == neverWatched || !m.Until.Before(r.Until)
		decides := m.Stream == record.Leases && open || m.Stream == record.Pods && (open || m.Until.Sub(m.From) > maxBlindPods)
		if decides && m.Lost {
			all = append(all, Stretch{From: m.From, To: m.Until, Why: string(m.Stream) + " were not watched"})
		}
	}
	return append(all, r.Unseen...)
}

// neverWatched explains a stream without a beginning.
const neverWatched = "it was never watched"
