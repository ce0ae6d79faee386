package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// hung returns a bench whose terminal disconnects when f is called.
func hung(t *testing.T) (b *bench, hangUp func()) {
	t.Helper()
	b = newBench(t, migration(newWorld()))
	ch := make(chan struct{})
	b.o.HangUp = ch
	gone := false
	return b, func() {
		if !gone {
			close(ch)
		}
		gone = true
	}
}

func wantLeft(t *testing.T, b *bench, res Result, err error) {
	t.Helper()
	faulty.WantClass(t, err, fault.HungUp, b.o.Command)
	if b.lock.Holder() != nil {
		t.Error("the lock was not given back")
	}
	if res.Resume != b.o.Command {
		t.Errorf("resume %q", res.Resume)
	}
}

// The terminal disconnects during each effect in turn. The current step completes all its effects
// and is watched until Met. No other step begins, and the same command continues.
func TestRun_hangUpDuringEffect_completesStep(t *testing.T) {
	for n := range 8 {
		b, hangUp := hung(t)
		effects := 0
		b.w.hook = func(point string) {
			if point[:6] == "before" && point != "before commit" {
				if effects == n {
					hangUp()
				}
				effects++
			}
		}
		res, err := b.run()
		if n >= 6 { // in the last step: nothing was left to begin
			if err != nil {
				t.Errorf("in effect %d: %v", n, err)
			}
			continue
		}
		wantLeft(t, b, res, err)
		if want := n/2*2 + 2; effects != want || len(b.w.facts) != want {
			t.Errorf("in effect %d: %d effects, %v; wanted %d", n, effects, b.w.facts, want)
		}
		inHand := []journal.StepID{"one", "two", "three"}[n/2]
		if begun := b.events.steps(StepStarted); begun[len(begun)-1] != inHand {
			t.Errorf("in effect %d: %v were begun", n, begun)
		}
		if outcomes(res)[inHand] != Finished || len(b.events.of(HungUp)) != 1 {
			t.Errorf("in effect %d: %v, %d events", n, outcomes(res), len(b.events.of(HungUp)))
		}
		if h := b.history(); h[0].Outcome != "interrupted" || h[0].Reason != "HungUp" || h[0].End == "" {
			t.Errorf("history: %+v", h)
		}
		b.o.HangUp, b.o.RunID = nil, "run-2"
		b.w.hook = func(string) {}
		if _, err := b.run(); err != nil {
			t.Fatal(err)
		}
		for fact, times := range b.w.facts {
			if times != 1 {
				t.Errorf("%s took place %d times", fact, times)
			}
		}
	}
}

// After a hang-up the run still judges, and pauses the rollout.
func TestRun_harmAfterHangUp_pauses(t *testing.T) {
	b, hangUp := hung(t)
	paused, reads := false, 0
	b.p.pause = func(ctx context.Context, tx *Tx, _ error) (string, error) {
		return "paused", tx.Effect(ctx, journal.Intent{What: "pause"}, func(context.Context) error { paused = true; return nil })
	}
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		hangUp()
		if reads++; reads > 20 {
			return Verdict{Kind: MustPause, Err: &fault.Error{Class: fault.Check, Reason: "NodeRenamed", Object: "Machine a"}}, nil
		}
		return Verdict{Kind: Waiting, WaitingFor: "the roll", Seen: "1/3", Progress: fmt.Sprint(reads)}, nil
	}
	_, err := b.run()
	faulty.WantClass(t, err, fault.Check, "Machine a")
	if !paused || reads != 21 {
		t.Errorf("paused %t after %d readings", paused, reads)
	}
}

// A step that has changed nothing is left at once: one that only reads, or whose first effect has
// not begun.
func TestRun_hangUpBeforeEffect_leavesStep(t *testing.T) {
	waits := func(hangUp func()) func(context.Context, *Tx) (Verdict, error) {
		return func(context.Context, *Tx) (Verdict, error) {
			hangUp()
			return Verdict{Kind: Waiting, WaitingFor: "rest", Seen: "moving"}, nil
		}
	}
	for name, tt := range map[string]struct {
		step journal.StepID
		bend func(b *bench, hangUp func())
	}{
		"a reading step that waits": {"preflight", func(b *bench, hangUp func()) { b.p.step("preflight").verify = waits(hangUp) }},
		"before the first effect": {"two", func(b *bench, hangUp func()) {
			two := b.p.step("two")
			two.do = func(ctx context.Context, tx *Tx) error { hangUp(); return two.apply(ctx, tx) }
		}},
		"not yet at rest": {"two", func(b *bench, hangUp func()) {
			b.p.step("two").do = func(context.Context, *Tx) error {
				hangUp()
				return &fault.Error{Class: fault.Check, Transient: true, Object: "cluster", Seen: "moves", Wanted: "rest"}
			}
		}},
		"nothing to change, and not settled": {"two", func(b *bench, hangUp func()) {
			b.p.step("two").do = func(context.Context, *Tx) error { return nil }
			b.p.step("two").verify = waits(hangUp)
		}},
	} {
		b, hangUp := hung(t)
		tt.bend(b, hangUp)
		res, err := b.run()
		wantLeft(t, b, res, err)
		if outcomes(res)[tt.step] != Halted || b.w.facts["two/0"] != 0 {
			t.Errorf("%s: %v, %v", name, outcomes(res), b.w.facts)
		}
	}
}

// A step that an earlier run began counts as begun, even if this run has changed nothing.
func TestRun_hangUpInResumedStep_watches(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) { return Verdict{}, errors.New("gone") }
	if _, err := b.run(); err == nil {
		t.Fatal("the first run ended well")
	}
	b.p.step("two").verify = nil
	ch := make(chan struct{})
	b.o.HangUp, b.o.RunID, b.o.Lock = ch, "run-2", b.lock.For(lock.Owner{Run: "run-2"})
	b.p.step("two").do = func(context.Context, *Tx) error { close(ch); return nil }
	res, err := b.run()
	wantLeft(t, b, res, err)
	if outcomes(res)["two"] != Finished || b.w.facts["three/0"] != 0 {
		t.Errorf("%v, %v", outcomes(res), b.w.facts)
	}
}

// Before anything was begun, a hang-up ends the run without a trace: before the question, during
// it, and during the wait for the lock.
func TestRun_hangUpBeforeFirstStep_ends(t *testing.T) {
	for name, bend := range map[string]func(b *bench, hangUp func()){
		"at once": func(_ *bench, hangUp func()) { hangUp() },
		"at the question": func(b *bench, hangUp func()) {
			b.o.Approve = func(context.Context, Proposal) error { hangUp(); return nil }
		},
		"while it waits for the lock": func(b *bench, hangUp func()) { b.o.Lock = waitingLock{b.o.Lock, hangUp} },
	} {
		b, hangUp := hung(t)
		bend(b, hangUp)
		res, err := b.run()
		wantLeft(t, b, res, err)
		if len(b.w.facts) != 0 || b.journal.Versions() != 0 {
			t.Errorf("%s: %v, %d commits", name, b.w.facts, b.journal.Versions())
		}
	}
}

// waitingLock is a lock that its holder never releases.
type waitingLock struct {
	lock.Lock
	hangUp func()
}

func (l waitingLock) Acquire(ctx context.Context) error {
	l.hangUp()
	<-retry.WaitPolicyOf(ctx).Stop
	return retry.Stopped()
}

// An interrupt takes precedence over an earlier hang-up.
func TestRun_interruptAfterHangUp_isInterrupted(t *testing.T) {
	b, hangUp := hung(t)
	stop := make(chan struct{})
	b.o.Interrupt = stop
	reads := 0
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		hangUp()
		if reads++; reads == 5 {
			close(stop)
		}
		return Verdict{Kind: Waiting, WaitingFor: "the roll", Seen: "1/3", Progress: fmt.Sprint(reads)}, nil
	}
	_, err := b.run()
	faulty.WantClass(t, err, fault.Interrupted, b.o.Command)
	if reads != 5 {
		t.Errorf("%d readings", reads)
	}
}
