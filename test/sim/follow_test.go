package sim

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// followed is a run on w and somebody who follows it from its first write on, and what each
// of them was shown. killedAt kills the run at that call; -1: never.
func followed(t *testing.T, r Run, w *World, killedAt int) (run, shown []runner.Event, end, looked Ended, behind time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began, over := make(chan struct{}), make(chan struct{})
		r.EveryReading = true
		r.Sink = runner.SinkFunc(func(e runner.Event) { run = append(run, e) })
		started := false
		r.After = func(c Call) {
			if c.Writes && !started {
				started = true
				close(began)
			}
		}
		r.Before = func(c Call) Outcome {
			if c.N == killedAt {
				return Kill
			}
			return Pass
		}
		var ended time.Time
		go func() {
			defer close(over)
			end = r.On(t.Context(), w)
			ended = time.Now()
		}()
		<-began
		pass(time.Minute) // whoever follows comes some time later
		other := Run{ID: "follower", Undo: r.Undo, HandOver: r.HandOver, Method: r.Method, Follow: true, Elsewhere: true, EveryReading: true,
			Sink: runner.SinkFunc(func(e runner.Event) { shown = append(shown, e) }),
			Before: func(c Call) Outcome {
				if c.Writes {
					t.Errorf("who follows writes: %s", c)
				}
				return Pass
			}}
		looked = other.On(t.Context(), w)
		<-over
		behind = time.Since(ended)
	})
	return run, shown, end, looked, behind
}

func stepsOf(events []runner.Event, of runner.EventType) []journal.StepID {
	var all []journal.StepID
	for _, e := range events {
		if e.Type == of {
			all = append(all, e.Step)
		}
	}
	return all
}

// Whoever follows a run sees its steps begin and end in their order, as the run shows them,
// with the machines and who leads; it writes nothing, and ends with the run.
func TestFollowedRun(t *testing.T) {
	for _, s := range scenarios {
		w := s.world()
		for _, undo := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s undo %t", s.name, undo), func(t *testing.T) {
				r := s.run
				r.Undo, r.ID = undo, w.nextRun()
				run, shown, end, looked, behind := followed(t, r, w, -1)
				if end.Err != nil || looked.Err != nil {
					t.Fatalf("the run: %v; who follows: %v", end.Err, looked.Err)
				}
				begun, seen := stepsOf(run, runner.StepStarted), stepsOf(shown, runner.StepStarted)
				if rest := slices.DeleteFunc(slices.Clone(seen), func(id journal.StepID) bool { return slices.Contains(begun, id) }); len(seen) < 2 || len(rest) > 0 || !slices.IsSortedFunc(seen, func(a, b journal.StepID) int { return slices.Index(begun, a) - slices.Index(begun, b) }) {
					t.Errorf("steps %v are shown of %v", seen, begun)
				}
				if looked.Result.Position != end.Result.Position || shown[len(shown)-1].Type != runner.RunFinished {
					t.Errorf("the run came to %s, who follows saw %s", end.Result.Position, looked.Result.Position)
				}
				machines := 0
				for _, e := range shown {
					if e.Waiting != nil && len(e.Waiting.Machines) > 0 {
						machines++
					}
				}
				if machines == 0 || behind > 3*poll {
					t.Errorf("%d readings with machines; it ended %s behind the run", machines, behind)
				}
			})
		}
	}
}

// A run that dies is followed for as long as its lock lives and something rolls, and no
// longer.
func TestFollowedRunThatDies(t *testing.T) {
	s := scenarios[0]
	whole := do(t, Run{ID: "whole"}, s.world())
	for _, at := range []int{whole.Calls / 3, whole.Calls / 2, whole.Calls * 2 / 3} {
		w := s.world()
		r := s.run
		r.ID = w.nextRun()
		_, shown, end, looked, _ := followed(t, r, w, at)
		if !end.Killed || looked.Err != nil || len(shown) == 0 || shown[len(shown)-1].Type != runner.RunFinished {
			t.Errorf("killed at call %d (%t): who follows ended with %v after %d events", at, end.Killed, looked.Err, len(shown))
		}
	}
}
