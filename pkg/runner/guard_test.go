package runner

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// watched returns a script whose step two was begun by a dead run and still rolls.
type watched struct {
	*script
	rolling  bool
	verdicts []Verdict // one reading after the other
	readings int
}

func (p *watched) Watched(context.Context, Observation) Step[Observation] {
	if !p.rolling {
		return nil
	}
	two := *p.step("two")
	two.do = func(context.Context, *Tx) error { return nil }
	two.verify = func(context.Context, *Tx) (Verdict, error) {
		v := p.verdicts[min(p.readings, len(p.verdicts)-1)]
		p.readings++
		p.rolling = v.Kind == Waiting
		return v, nil
	}
	return &two
}

// leftRolling returns a bench on which run-0 announced step two, changed half of it, and died.
func leftRolling(t *testing.T, verdicts ...Verdict) (*bench, *watched) {
	t.Helper()
	w := newWorld()
	b := newBench(t, migration(w))
	w.facts["two/0"]++
	st := journal.State{Schema: journal.Schema, Commit: "run-0/9", Target: b.p.Target(), Epoch: 3, Goal: "test", Pause: &journal.Pause{Run: "run-0"},
		Runs: []journal.Run{{ID: "run-0", Epoch: 3}}, Intents: []journal.Intent{{Step: "two", Run: "run-0", Object: "two/0", Epoch: 3}}}
	if err := b.journal.Commit(t.Context(), &st); err != nil {
		t.Fatal(err)
	}
	return b, &watched{script: b.p, rolling: true, verdicts: verdicts}
}

func (b *bench) kept() journal.State {
	b.t.Helper()
	st, err := b.journal.Load(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return st
}

// A guard watches to the end, changes nothing, reaches no goal and releases no pause. The step
// counts as completed only if its own verdict said so.
func TestGuard(t *testing.T) {
	waiting := Verdict{Kind: Waiting, WaitingFor: "machines", Seen: "1/3"}
	for name, tt := range map[string]struct {
		last     Verdict
		verified []journal.StepID
		open     bool
	}{
		"to the step's end": {Verdict{Kind: Met, Stable: 1}, []journal.StepID{"two"}, false},
		"to its rest":       {Verdict{Kind: Met, Stable: 1, AtRest: true}, nil, true},
	} {
		b, p := leftRolling(t, waiting, waiting, tt.last)
		if _, err := Guard[Observation](t.Context(), p, b.o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		st := b.kept()
		by := st.Runs[len(st.Runs)-1]
		if !by.Guard || by.Outcome != "guarded" || by.End == "" || !slices.Equal(by.Verified, tt.verified) || st.Runs[0].Outcome != "died" {
			t.Errorf("%s: %+v", name, st.Runs)
		}
		if st.Epoch != 3 || st.Goal != "test" || st.Pause == nil || len(st.Intents) != 1 || len(b.w.facts) != 1 || st.Record().LeftOpen != tt.open {
			t.Errorf("%s: %+v, facts %v", name, st, b.w.facts)
		}
		if p.readings != 3 || b.lock.Holder() != nil {
			t.Errorf("%s: %d readings, or the lock was kept", name, p.readings)
		}
	}
}

// A cluster at rest is read once, without a lock or an entry in the history.
func TestGuard_atRest_readsOnce(t *testing.T) {
	b, p := leftRolling(t, Verdict{})
	p.rolling = false
	before := b.kept()
	if err := b.lock.For(lock.Owner{User: "bob", Run: "other"}).Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Guard[Observation](t.Context(), p, b.o); err != nil || b.kept().Version != before.Version || p.readings != 0 {
		t.Errorf("%v, journal %s → %s, %d readings", err, before.Version, b.kept().Version, p.readings)
	}
}

// A cluster at an unknown position may roll too, and is watched.
func TestGuard_unknownPosition_watches(t *testing.T) {
	b, p := leftRolling(t, Verdict{Kind: Met, Stable: 1, AtRest: true})
	p.observe = func(seen Observation) (Observation, error) {
		return seen, &fault.Error{Class: fault.Check, Reason: "HalfMigrated"}
	}
	if _, err := Guard[Observation](t.Context(), p, b.o); err != nil || p.readings != 1 {
		t.Errorf("%v after %d readings", err, p.readings)
	}
}

func TestGuard_harm_pauses(t *testing.T) {
	b, p := leftRolling(t, Verdict{Kind: Waiting, WaitingFor: "machines"}, Verdict{Kind: MustPause, Err: errors.New("a rename")})
	p.pause = func(context.Context, *Tx, error) (string, error) { return "paused it", nil }
	_, err := Guard[Observation](t.Context(), p, b.o)
	st := b.kept()
	if err == nil || len(b.events.of(RolloutPaused)) != 1 || st.Pause == nil || st.Pause.Run != "run-1" || st.Pause.Done != "paused it" || !st.Record().LeftOpen {
		t.Errorf("%v, %+v", err, st.Pause)
	}
}

// A guard stops on request like every run: it releases the lock and reports what it leaves.
func TestGuard_interrupt_releasesLock(t *testing.T) {
	b, p := leftRolling(t, Verdict{Kind: Waiting, WaitingFor: "machines", By: Roller{Name: "Rancher", Alone: true}})
	stop := make(chan struct{})
	b.o.Interrupt = stop
	b.o.Sink = SinkFunc(func(e Event) {
		if e.Type == StepWaiting {
			close(stop)
		}
	})
	result, err := Guard[Observation](t.Context(), p, b.o)
	if fault.ClassOf(err) != fault.Interrupted || result.Left == nil || !result.Left.GoesOn {
		t.Errorf("%v, left %+v", err, result.Left)
	}
	if st := b.kept(); st.Runs[len(st.Runs)-1].Outcome != "interrupted" || !st.Record().LeftOpen {
		t.Errorf("%+v", st.Runs)
	}
	if holder := b.lock.Holder(); holder != nil {
		t.Errorf("the lock was kept: %v", holder)
	}
}
