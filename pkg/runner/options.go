package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

const (
	defaultPoll    = time.Second
	defaultStable  = 3
	defaultTimeout = 15 * time.Minute

	// firstReadTimeout bounds the retries during an API outage before a run has started anything. It
	// allows one restart of an API server behind a load balancer, and detects a wrong address
	// soon.
	firstReadTimeout = 30 * time.Second
	// finalWriteTimeout bounds the retries of the last writes of a run that has ended.
	finalWriteTimeout = 10 * time.Second
	// repeatInterval is the interval after which an unchanged wait is shown again.
	repeatInterval = 30 * time.Second
	// firstRepeatInterval is the time after which a new wait is shown a second time.
	firstRepeatInterval = 5 * time.Second
)

// Options configures a run. The zero value of every field is usable, except that a run that
// writes needs Journal and Lock.
type Options struct {
	RunID   string // generated if empty
	Command string // as typed, for the history and the command to resume
	Who     string // user@host, for the history
	// Attempt identifies an automatic request for the run; a failed attempt is not repeated. It
	// is empty if a person typed the command.
	Attempt string

	Until journal.StepID // stop after this step
	Only  journal.StepID // run only this step: the first pending one, or one that only reads

	Poll     time.Duration // between two reads of a wait, default 1 s
	Stable   int           // consecutive reads that must be Met, default 3
	Timeout  time.Duration // longest time without progress, default 15 min
	Deadline time.Duration // longest time after approval, or 0 for no limit
	DryRun   bool          // observe, run steps that only read, plan the rest, write nothing

	Journal journal.Journal
	Lock    lock.Lock
	Clock   clock.WithTicker
	Sink    Sink
	// EveryReading sends every read of a wait to Sink, for views that redraw.
	EveryReading bool

	// Interrupt requests a clean stop, by one value or by being closed. Cancelling the context is
	// the second, unclean stop.
	Interrupt <-chan struct{}
	// PauseRequest requests to pause the rollout of the current step, by one value or by being closed.
	// Then the run ends. If nothing was started, it ends at once.
	PauseRequest <-chan struct{}
	// HangUp reports, by one value or by being closed, that the terminal is gone. The run watches
	// the current step to its end and begins no other.
	HangUp <-chan struct{}
	// Approve is called once, before the lock is taken, and only if a step is pending. nil
	// approves everything. Under the lock the run plans again; it stops as Stale if the plan
	// differs.
	Approve func(ctx context.Context, p Proposal) error
	// Unattended reports whether the approval was given before a plan was shown. Such an approval
	// is not valid if Rancher was restored from a backup.
	Unattended bool
	// Saved is an approved plan. The current plan must equal it or its remaining part; otherwise
	// the run ends as Stale.
	Saved *WholePlan
	// Version is the version of this awsmigrate. A run starts no step of another version's saved
	// plan.
	Version string
	// Hold is called right after an observation, before a writing step begins that is not in
	// progress. If it returns an error, the run ends; the class should be Interrupted if nothing
	// failed. nil holds no step.
	Hold func(ctx context.Context, step Info) error
	// Confirm is called before an irreversible step. nil refuses with class Gate.
	Confirm func(ctx context.Context, step Info) error
}

// Proposal holds the content that Approve shows to a person.
type Proposal struct {
	Header      []string // the cluster and its position
	Observation Observation
	WholePlan
}

func (o Options) withDefaults() Options {
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.Stable <= 0 {
		o.Stable = defaultStable
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.RunID == "" {
		o.RunID = NewRunID(o.Clock.Now())
	}
	if o.Sink == nil {
		o.Sink = SinkFunc(func(Event) {})
	}
	return o
}

// check returns an error if the options name an unknown step or contradict each other.
func (o Options) check(steps []Info) error {
	known := make(map[journal.StepID]bool, len(steps))
	names := make([]string, 0, len(steps))
	for _, s := range steps {
		if known[s.ID] {
			return &fault.Error{Reason: "DuplicateStep", Object: "step " + string(s.ID), Seen: "listed twice in one procedure"}
		}
		known[s.ID] = true
		names = append(names, string(s.ID))
	}
	for _, id := range []journal.StepID{o.Until, o.Only} {
		if id != "" && !known[id] {
			return &fault.Error{
				Class: fault.Usage, Reason: "UnknownStep", Object: "step " + string(id),
				Seen: "no such step", Wanted: "one of " + strings.Join(names, ", "),
			}
		}
	}
	if o.Until != "" && o.Only != "" {
		return &fault.Error{
			Class: fault.Usage, Reason: "OnlyAndUntil", Object: "step " + string(o.Only),
			Seen: "asked to run it alone and to run until " + string(o.Until), Wanted: "one of the two",
		}
	}
	return nil
}

// NewRunID returns a unique run ID. IDs sort by time.
func NewRunID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead (Go 1.24)
	return fmt.Sprintf("%s-%s", now.UTC().Format("20060102T150405Z"), hex.EncodeToString(b[:]))
}
