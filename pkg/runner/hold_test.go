package runner

import (
	"context"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// A held step does not begin, and the run ends before it. Steps in progress and steps that only
// read are not held.
func TestRun_heldStep_ends(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	var asked []journal.StepID
	b.o.Hold = func(_ context.Context, step Info) error {
		if asked = append(asked, step.ID); step.ID == "three" {
			return &fault.Error{Class: fault.Interrupted, Reason: "Paused", Object: "ClusterMigration a/b", Seen: "spec.paused"}
		}
		return nil
	}
	result, err := b.run()
	f, _ := fault.As(err)
	if f == nil || f.Reason != "Paused" || !slices.Equal(asked, []journal.StepID{"one", "two", "three"}) {
		t.Fatalf("%v after it was asked for %v", err, asked)
	}
	if got := outcomes(result); got["two"] != Finished || got["three"] != NotReached || b.w.facts["three/0"] != 0 {
		t.Errorf("%v, facts %v", got, b.w.facts)
	}
	if runs := b.history(); runs[0].Outcome != "interrupted" || runs[0].Reason != "Paused" {
		t.Errorf("%+v", runs)
	}
	b.w.facts["three/0"]++ // half of it was done by a run before
	st := b.kept()
	st.Intents = append(st.Intents, journal.Intent{Step: "three", Run: "run-0", Object: "three/0"})
	if err := b.journal.Commit(t.Context(), &st); err != nil {
		t.Fatal(err)
	}
	asked, b.o.RunID = nil, "run-2"
	b.o.Lock = b.lock.For(lock.Owner{User: "alice", Run: "run-2"})
	if _, err := b.run(); err != nil || !slices.Equal(asked, []journal.StepID{"four"}) {
		t.Errorf("%v after it was asked for %v", err, asked)
	}
}

// If a stop is requested during Hold, the step does not begin.
func TestRun_stopDuringHold_beginsNothing(t *testing.T) {
	for name, ask := range map[string]func(*Options) chan struct{}{
		"a clean stop": func(o *Options) chan struct{} { c := make(chan struct{}); o.Interrupt = c; return c },
		"a pause":      func(o *Options) chan struct{} { c := make(chan struct{}); o.PauseRequest = c; return c },
		"a hang-up":    func(o *Options) chan struct{} { c := make(chan struct{}); o.HangUp = c; return c },
	} {
		b := newBench(t, migration(newWorld()))
		stop := ask(&b.o)
		b.o.Hold = func(_ context.Context, step Info) error {
			if step.ID == "two" {
				close(stop)
			}
			return nil
		}
		result, err := b.run()
		if class := fault.ClassOf(err); class != fault.Interrupted && class != fault.HungUp {
			t.Errorf("%s: %v", name, err)
		}
		if got := outcomes(result); got["one"] != Finished || got["two"] != NotReached || b.w.facts["two/0"] != 0 {
			t.Errorf("%s: %v, facts %v", name, got, b.w.facts)
		}
	}
}
