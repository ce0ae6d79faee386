package runner

import (
	"context"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// The interrupt arrives during each effect in turn.
func TestRun_firstInterrupt_finishesEffect(t *testing.T) {
	for n := range 8 {
		b := newBench(t, migration(newWorld()))
		ch := make(chan struct{})
		b.o.Interrupt = ch
		effects := 0
		b.w.hook = func(point string) {
			if point[:6] == "before" && point != "before commit" {
				if effects == n {
					close(ch)
				}
				effects++
			}
		}
		res, err := b.run()
		faulty.WantClass(t, err, fault.Interrupted, b.o.Command)
		if effects != n+1 {
			t.Errorf("interrupt in effect %d: %d effects were begun", n, effects)
		}
		if len(b.w.facts) != n+1 {
			t.Errorf("interrupt in effect %d: it was not finished: %v", n, b.w.facts)
		}
		if b.lock.Holder() != nil {
			t.Error("the lock was not given back")
		}
		h := b.history()
		if h[0].Outcome != "interrupted" || h[0].End == "" {
			t.Errorf("history: %+v", h)
		}
		if res.Resume != b.o.Command || len(b.events.of(Interrupting)) != 1 {
			t.Errorf("resume %q, %d events", res.Resume, len(b.events.of(Interrupting)))
		}
		b.o.Interrupt, b.o.RunID = nil, "run-2"
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

func TestRun_interruptDuringWait_ends(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	ch := make(chan struct{}, 1)
	b.o.Interrupt = ch
	reads := 0
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		if reads++; reads == 5 {
			close(ch)
		}
		return Verdict{Kind: Waiting, WaitingFor: "the flag", Seen: "0/3"}, nil
	}
	res, err := b.run()
	faulty.WantClass(t, err, fault.Interrupted, "waited for the flag", b.o.Command)
	if reads != 5 || outcomes(res)["two"] != Halted {
		t.Errorf("%d readings, %v", reads, outcomes(res))
	}
}

func TestRun_interruptDuringHarm_pauses(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	ch := make(chan struct{})
	b.o.Interrupt = ch
	paused := false
	b.p.pause = func(ctx context.Context, tx *Tx, _ error) (string, error) {
		return "paused", tx.Effect(ctx, journal.Intent{What: "pause"}, func(context.Context) error { paused = true; return nil })
	}
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		close(ch)
		return Verdict{Kind: MustPause, Seen: "a rename"}, nil
	}
	if _, err := b.run(); err == nil || !paused {
		t.Errorf("paused %v, err %v", paused, err)
	}
}

func TestRun_interruptAfterLastStep_succeeds(t *testing.T) {
	b := newBench(t, newScript(newWorld(), step("one")))
	ch := make(chan struct{})
	b.o.Interrupt = ch
	closed := false
	b.p.observe = func(o Observation) (Observation, error) {
		if o.Position == "P1" && !closed {
			closed = true
			close(ch)
		}
		return o, nil
	}
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
}

func TestRun_cancelledContext_endsAtOnce(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	ctx, cancel := context.WithCancel(t.Context())
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		cancel()
		return Verdict{Kind: Waiting}, nil
	}
	_, err := Run[Observation](ctx, b.p, b.o)
	faulty.WantClass(t, err, fault.Interrupted, "expires without action")
	if b.lock.Holder() == nil {
		t.Error("it took the time to give the lock back")
	}
	if h := b.history(); h[0].End != "" {
		t.Errorf("it took the time to write history: %+v", h)
	}
	b.lock.Break()
	b.p.step("two").verify = nil
	b.o.RunID = "run-2"
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if h := b.history(); h[0].Outcome != "died" || h[1].Outcome != "done" {
		t.Errorf("history: %+v", h)
	}
}

// finishing is a step with its own child process.
type finishing struct {
	*scripted
	calls []bool // graceful, by call
	alive bool   // the context of the last call
}

func (f *finishing) Finish(ctx context.Context, _ *Tx, graceful bool) error {
	f.calls, f.alive = append(f.calls, graceful), ctx.Err() == nil
	return nil
}

// Finish is called once, however a step ends. Its context works unless the second interrupt has
// ended it. Only a requested stop lets the work end normally.
func TestRun_anyEnd_callsFinishOnce(t *testing.T) {
	waits := func(context.Context, *Tx) (Verdict, error) {
		return Verdict{Kind: Waiting, WaitingFor: "the child", Seen: "no output"}, nil
	}
	for name, tt := range map[string]struct {
		verify   func(stop, cancel func()) func(context.Context, *Tx) (Verdict, error)
		graceful bool
	}{
		"well": {verify: func(_, _ func()) func(context.Context, *Tx) (Verdict, error) { return nil }},
		"with a failure": {verify: func(_, _ func()) func(context.Context, *Tx) (Verdict, error) {
			return func(context.Context, *Tx) (Verdict, error) {
				return Verdict{Kind: Failed, Err: &fault.Error{Class: fault.Check, Reason: "Bad", Object: "child"}}, nil
			}
		}},
		"stopped": {graceful: true, verify: func(stop, _ func()) func(context.Context, *Tx) (Verdict, error) {
			return func(ctx context.Context, tx *Tx) (Verdict, error) { stop(); return waits(ctx, tx) }
		}},
		"cancelled": {verify: func(_, cancel func()) func(context.Context, *Tx) (Verdict, error) {
			return func(ctx context.Context, tx *Tx) (Verdict, error) { cancel(); return waits(ctx, tx) }
		}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		b := newBench(t, migration(newWorld()))
		ch := make(chan struct{}, 1)
		b.o.Interrupt = ch
		two := &finishing{scripted: b.p.step("two")}
		stop := func() {
			if len(ch) == 0 {
				ch <- struct{}{}
			}
		}
		if verify := tt.verify(stop, cancel); verify != nil {
			two.verify = verify
		}
		_, _ = Run[Observation](ctx, withFinisher{b.p, two}, b.o)
		cancel()
		if len(two.calls) != 1 || two.calls[0] != tt.graceful || two.alive == (name == "cancelled") {
			t.Errorf("%s: calls %v (want one, %t), context usable %t", name, two.calls, tt.graceful, two.alive)
		}
	}
}

// Settle is called after a completed step, and after no other. Its error ends the run.
func TestRun_completedStep_callsSettle(t *testing.T) {
	ill := &fault.Error{Class: fault.Check, Reason: "Bad", Object: "child"}
	for name, tt := range map[string]struct {
		verify  func(context.Context, *Tx) (Verdict, error)
		err     error
		settled int
	}{
		"well_settled": {settled: 1},
		"failed_not":   {verify: func(context.Context, *Tx) (Verdict, error) { return Verdict{Kind: Failed, Err: ill}, nil }, err: ill},
		"broken_ends":  {err: ill, settled: 1},
	} {
		b := newBench(t, migration(newWorld()))
		step := &settling{scripted: b.p.step("two"), err: tt.err}
		if tt.verify != nil {
			step.verify = tt.verify
		}
		_, err := Run[Observation](t.Context(), withFinisher{b.p, step}, b.o)
		if (tt.err == nil) != (err == nil) || step.settled != tt.settled {
			t.Errorf("%s: %v, settled %d times", name, err, step.settled)
		}
	}
}

// settling is a step that writes a note after it is completed.
type settling struct {
	*scripted
	err     error
	settled int
}

func (s *settling) Settle(context.Context, *Tx) error {
	s.settled++
	return s.err
}

// withFinisher replaces a step of a script by the test's own step.
type withFinisher struct {
	*script
	step Step[Observation]
}

func (p withFinisher) Steps() []Step[Observation] {
	var steps []Step[Observation]
	for _, s := range p.script.Steps() {
		if s.Info().ID == p.step.Info().ID {
			s = p.step
		}
		steps = append(steps, s)
	}
	return steps
}

// If a pause is requested while others roll out a step, the rollout is paused at the next read.
// No further step begins, and nothing continues.
func TestRun_pauseRequest_pauses(t *testing.T) {
	p := migration(newWorld())
	b := newBench(t, p)
	ask := make(chan struct{})
	b.o.PauseRequest = ask
	readings := 0
	p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		if readings++; readings == 3 {
			close(ask)
		}
		return Verdict{Kind: Waiting, WaitingFor: "every machine", Seen: "1/6", Done: 1, Total: 6, By: Roller{Name: "Rancher", Alone: true, CanPause: true}}, nil
	}
	res, err := b.run()
	faulty.WantClass(t, err, fault.Interrupted, "rollout paused on request")
	if readings != 3 || len(b.events.of(RolloutPaused)) != 1 || res.Left == nil || res.Left.GoesOn {
		t.Errorf("after %d readings: %d pauses, left %+v", readings, len(b.events.of(RolloutPaused)), res.Left)
	}
	if b.lock.Holder() != nil || b.history()[0].Outcome != "interrupted" {
		t.Errorf("the lock is of %v, the run ended %q", b.lock.Holder(), b.history()[0].Outcome)
	}
	for _, w := range b.events.of(StepWaiting) {
		if w.Step == "two" && (w.Waiting.Left == nil || !w.Waiting.Left.GoesOn || !w.Waiting.Left.CanPause || w.Waiting.Left.Changed != 1) {
			t.Errorf("a reading says that %+v would be left", w.Waiting.Left)
		}
	}
	if state, err := b.o.Journal.Load(t.Context()); err != nil || state.Pause == nil || state.Record().RequestedPause != state.Pause.Run {
		t.Errorf("the journal has no requested pause: %+v, %v", state.Pause, err)
	}
}

// If nothing was begun, there is nothing to pause, and the run ends.
func TestRun_pauseRequestBeforeStep_ends(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	ask := make(chan struct{})
	close(ask)
	b.o.PauseRequest = ask
	_, err := b.run()
	faulty.WantClass(t, err, fault.Interrupted, "before the first step")
	if len(b.events.of(RolloutPaused)) != 0 || len(b.w.facts) != 0 {
		t.Errorf("%d pauses, %v", len(b.events.of(RolloutPaused)), b.w.facts)
	}
}
