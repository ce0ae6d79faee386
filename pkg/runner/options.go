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

	// firstLook bounds how long a run puts up with an API that is away before
	// anything was begun: long enough for one API server restart behind a
	// balancer, short enough for a wrong address.
	firstLook = 30 * time.Second
	// parting bounds what a run that is over still tries to write.
	parting = 10 * time.Second
	// speakUp is how often a wait that does not change is shown again.
	speakUp = 30 * time.Second
	// stays is how long what is seen of a wait stays the same before it is shown again.
	stays = 5 * time.Second
)

// Options say how a procedure is run. The zero value of every field is usable
// except Journal and Lock, which a run that writes must have.
type Options struct {
	RunID   string // made from the clock and random bytes when empty
	Command string // as typed, for the history and the resume line
	Who     string // user@host, for the history
	// Attempt names what asked for the run, where something asks by itself: what failed once
	// is not tried again for the same. "": a person's own command.
	Attempt string

	Until journal.StepID // stop after this step
	Only  journal.StepID // run this step alone: the first to do, or one that only reads

	Poll     time.Duration // between two readings of a wait, default 1 s
	Stable   int           // readings in a row that must be Met, default 3
	Timeout  time.Duration // longest time without progress, default 15 min
	Deadline time.Duration // longest time in all after approval, 0: none
	DryRun   bool          // observe, run what only reads, plan the rest, write nothing

	Journal journal.Journal
	Lock    lock.Lock
	Clock   clock.WithTicker
	Sink    Sink
	// EveryReading sends Sink every reading of a wait, for views that are drawn anew.
	EveryReading bool

	// Interrupt asks for a clean stop by one value or by being closed.
	// Cancelling the context is the second, unclean one.
	Interrupt <-chan struct{}
	// Brake asks, by one value or by being closed, for the brake, where others carry out what
	// the step in hand has begun. Then the run ends; where nothing was begun, it ends at once.
	Brake <-chan struct{}
	// HangUp says, by one value or by being closed, that nobody watches any more.
	// The step in hand is watched to its end, its brake armed; no other begins.
	HangUp <-chan struct{}
	// Approve is asked once, before the lock is taken, and only if a step is to
	// do. nil means yes. What it approved is compared with what is planned once
	// the lock is ours; a difference stops the run as Stale.
	Approve func(ctx context.Context, p Proposal) error
	// Unattended says that the yes was given before anybody saw a plan. It is none to a
	// cluster of which Rancher was restored from a backup.
	Unattended bool
	// Saved is a plan that somebody approved before: what would be done now has to
	// be exactly that, or what is left of it; else the run ends as Stale.
	Saved *WholePlan
	// Version is that of this awsmigrate. Nothing is begun by a saved plan of another.
	Version string
	// Hold is asked before a step begins that writes and that nobody has begun, right after
	// the cluster was observed. What it returns ends the run there, and should be of class
	// Interrupted where nothing failed. nil: nothing holds a step.
	Hold func(ctx context.Context, step Info) error
	// Confirm is asked at a step that has no way back. nil refuses with Gate.
	Confirm func(ctx context.Context, step Info) error
}

// Proposal is what somebody is asked to approve.
type Proposal struct {
	Header      []string // the cluster, and how far it is
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

// check refuses options that name no step of p or contradict each other.
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

// NewRunID names a run so that names sort by time and never repeat.
func NewRunID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead (Go 1.24)
	return fmt.Sprintf("%s-%s", now.UTC().Format("20060102T150405Z"), hex.EncodeToString(b[:]))
}
