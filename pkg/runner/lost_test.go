package runner

import (
	"context"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// stolen is the lock of a run that another run has taken over.
func (b *bench) steal() {
	b.lock.Break()
	if err := b.lock.For(lock.Owner{User: "carol", Run: "run-2"}).Acquire(context.Background()); err != nil {
		b.t.Error(err)
	}
}

// A run without its lock ends with that error, regardless of its next read: it may be another
// run's work.
func TestRun_lostLock_reportsOnlyThat(t *testing.T) {
	for name, v := range map[string]Verdict{
		"met":     {Kind: Met},
		"waiting": {Kind: Waiting, WaitingFor: "x", Seen: "y"},
		"failed":  {Kind: Failed, Seen: "z"},
		"braked":  {Kind: MustPause, Seen: "z"},
	} {
		t.Run(name, func(t *testing.T) {
			var b *bench
			readings, pulled := 0, 0
			b = waiting(t, func(i int, _ time.Time) (Verdict, error) {
				readings++
				if i == 1 {
					b.steal()
					return v, nil
				}
				return Verdict{Kind: Met}, nil
			})
			b.p.pause = func(context.Context, *Tx, error) (string, error) { pulled++; return "", nil }
			_, err := b.run()
			faulty.WantClass(t, err, fault.Locked)
			if readings != 2 || pulled != 0 || len(b.events.of(StepFinished)) != 0 || len(b.events.of(RolloutPaused)) != 0 {
				t.Errorf("%d readings, %d pauses, finished %v", readings, pulled, b.events.of(StepFinished))
			}
		})
	}
}

// The lock is lost between two steps, and after the last step.
func TestRun_lockLostBetweenSteps_ends(t *testing.T) {
	for name, last := range map[string]bool{"between": false, "at the end": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			list := []*scripted{step("one"), step("two")}
			if last {
				list = list[:1]
			}
			b := newBench(t, newScript(w, list...))
			b.o.Sink = SinkFunc(func(e Event) {
				if e.Type == StepFinished && e.Step == "one" {
					b.steal()
				}
				b.events.Emit(e)
			})
			_, err := b.run()
			faulty.WantClass(t, err, fault.Locked)
			for _, e := range b.events.of(StepStarted) {
				if e.Step == "two" {
					t.Error("another step was begun")
				}
			}
		})
	}
}
