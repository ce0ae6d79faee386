package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// followRun runs r on w while a second process follows it from its first write on, and returns the
// events of both. killedAt kills the run at that call; -1 means never.
func followRun(t *testing.T, r Run, w *World, killedAt int, asksPause func(runner.Event) bool) (run, shown []runner.Event, end, looked Ended, behind time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began, over := make(chan struct{}), make(chan struct{})
		r.EveryReading = true
		asks := make(chan struct{})
		r.PauseRequest = asks
		asked := sync.OnceFunc(func() { close(asks) })
		r.Sink = runner.SinkFunc(func(e runner.Event) {
			if run = append(run, e); asksPause != nil && asksPause(e) {
				asked()
			}
		})
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
		pass(time.Minute) // the follower starts later
		other := Run{ID: "follower", Undo: r.Undo, HandOver: r.HandOver, Method: r.Method, Early: r.Early, Follow: true, Elsewhere: true, EveryReading: true,
			Sink: runner.SinkFunc(func(e runner.Event) { shown = append(shown, e) }),
			Before: func(c Call) Outcome {
				if c.Writes {
					t.Errorf("the follower wrote %s", c)
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

// A follower sees the run's steps begin and end in the run's order, with the machines and the
// leader. It writes nothing, and ends with the run.
func TestFollow_wholeRun_showsItsSteps(t *testing.T) {
	for _, s := range scenarios {
		w := s.world()
		for _, undo := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s undo %t", s.name, undo), func(t *testing.T) {
				r := s.run
				r.Undo, r.ID = undo, w.nextRun()
				run, shown, end, looked, behind := followRun(t, r, w, -1, nil)
				if end.Err != nil || looked.Err != nil {
					t.Fatalf("the run: %v; the follower: %v", end.Err, looked.Err)
				}
				begun, seen := stepsOf(run, runner.StepStarted), stepsOf(shown, runner.StepStarted)
				if rest := slices.DeleteFunc(slices.Clone(seen), func(id journal.StepID) bool { return slices.Contains(begun, id) }); len(seen) < 2 || len(rest) > 0 || !slices.IsSortedFunc(seen, func(a, b journal.StepID) int { return slices.Index(begun, a) - slices.Index(begun, b) }) {
					t.Errorf("steps %v are shown, wanted %v", seen, begun)
				}
				if looked.Result.Position != end.Result.Position || shown[len(shown)-1].Type != runner.RunFinished {
					t.Errorf("the run reached %s, the follower saw %s", end.Result.Position, looked.Result.Position)
				}
				if failed := stepsOf(shown, runner.StepFailed); len(failed) > 0 {
					t.Errorf("steps %v are shown as failed", failed)
				}
				if said := differentAccount(run, shown); said != "" {
					t.Error(said)
				}
				machines := 0
				for _, e := range shown {
					if e.Waiting != nil && len(e.Waiting.Machines) > 0 {
						machines++
					}
				}
				if machines == 0 || behind > 3*pollInterval {
					t.Errorf("%d readings with machines; it ended %s after the run", machines, behind)
				}
			})
		}
	}
}

// differentAccount returns the first difference between what a run showed of its steps and of
// their ends and what a follower showed, or "".
func differentAccount(run, shown []runner.Event) string {
	ended := map[journal.StepID][]string{}
	for _, e := range run {
		if e.Type == runner.StepFinished {
			ended[e.Step] = e.Lines
		}
	}
	for _, e := range shown {
		switch {
		case e.Type == runner.RunStarted && !slices.Equal(e.Steps, run[0].Steps):
			return fmt.Sprintf("steps %v, and the run has %v", e.Steps, run[0].Steps)
		case e.Type == runner.StepFinished && !sameLines(e.Lines, ended[e.Step]):
			return fmt.Sprintf("step %s ended with %q, and the run said %q", e.Step, e.Lines, ended[e.Step])
		}
	}
	return ""
}

// sameLines compares lines as far as an announcement keeps them.
func sameLines(kept, said []string) bool {
	return len(kept) <= len(said) && slices.EqualFunc(kept, said[:len(kept)], func(a, b string) bool {
		return strings.HasPrefix(b, strings.TrimSuffix(a, "…"))
	})
}

// A run that ends in the middle is followed to its end. A step that it has not begun neither fails
// nor lacks an edit. A finished step is shown until the run has observed it often enough.
func TestFollow_runEndsInTheMiddle_showsItsEnd(t *testing.T) {
	s := scenarios[0]
	for _, until := range []journal.StepID{migration.StepEnable, migration.StepInstall, migration.StepVerify} {
		w := s.world()
		r := s.run
		r.ID, r.Until = w.nextRun(), until
		run, shown, end, looked, _ := followRun(t, r, w, -1, nil)
		if end.Err != nil || looked.Err != nil {
			t.Fatalf("until %s: the run: %v; the follower: %v", until, end.Err, looked.Err)
		}
		if failed := stepsOf(shown, runner.StepFailed); len(failed) > 0 {
			t.Errorf("until %s: steps %v are shown as failed", until, failed)
		}
		begun := stepsOf(run, runner.StepStarted)
		for _, e := range shown {
			if e.Waiting == nil || slices.Contains(begun, e.Step) {
				continue
			}
			if e.Waiting.For != "the start of the step by the run" && e.Waiting.For != "nothing" {
				t.Errorf("until %s: step %s has not begun, but shows %q: %q", until, e.Step, e.Waiting.For, e.Waiting.Seen)
				break
			}
		}
	}
}

// A dead run is followed while its lock is valid and a rollout goes on, and no longer.
func TestFollow_runDies_endsWithLockAndRollout(t *testing.T) {
	s := scenarios[0]
	whole := do(t, Run{ID: "whole"}, s.world())
	for _, at := range []int{whole.Calls / 3, whole.Calls / 2, whole.Calls * 2 / 3} {
		w := s.world()
		r := s.run
		r.ID = w.nextRun()
		_, shown, end, looked, _ := followRun(t, r, w, at, nil)
		if !end.Killed || looked.Err != nil || len(shown) == 0 || shown[len(shown)-1].Type != runner.RunFinished {
			t.Errorf("killed at call %d (%t): the follower ended with %v after %d events", at, end.Killed, looked.Err, len(shown))
		}
	}
}

// switchedMachines returns the number of machines that started with the external provider.
func (w *World) switchedMachines() int {
	n := 0
	for _, m := range w.machines {
		if strings.Contains(fmt.Sprint(m.config), "cloud-provider=external") {
			n++
		}
	}
	return n
}

// A requested pause in the middle of a rollout pauses the cluster. After the current machine no
// other one changes, and followers end. The next run ends the pause and completes.
func TestBrakeThatIsAskedForHolds(t *testing.T) {
	w := pausedWorld(t)
	if again := do(t, Run{ID: w.nextRun()}, w); again.Err != nil || again.Result.Position != position.P5.String() {
		t.Errorf("the next run reached %s: %v", again.Result.Position, again.Err)
	}
	if w.isPaused() {
		t.Error("the cluster is still paused")
	}
}

// Harm during a requested pause is found before the pause ends: the next run keeps the pause.
func TestBrakeThatIsAskedForHoldsBehindHarm(t *testing.T) {
	w := pausedWorld(t)
	w.AddSecondNode(0)
	again := do(t, Run{ID: w.nextRun()}, w)
	if again.Err == nil || !w.isPaused() {
		t.Errorf("the next run reached %s, %v; paused: %t", again.Result.Position, again.Err, w.isPaused())
	}
	if n := w.switchedMachines(); n > 2 {
		t.Errorf("%d machines were changed", n)
	}
}

func (w *World) isPaused() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return mapAt(w.mgmt.get(controlPlanes, fleet, clusterName), "metadata", "annotations")[paused] == "true"
}

// pausedWorld returns a world one hour after a user requested a pause, when one machine was
// switched.
func pausedWorld(t *testing.T) *World {
	t.Helper()
	w := NewRKE2()
	oneIsChanged := func(e runner.Event) bool {
		return e.Step == migration.StepSwitch && e.Waiting != nil && e.Waiting.Left != nil && e.Waiting.Left.CanPause && e.Waiting.Left.Changed == 1
	}
	_, shown, end, looked, behind := followRun(t, Run{ID: w.nextRun()}, w, -1, oneIsChanged)
	if fault.ClassOf(end.Err) != fault.Interrupted || end.Result.Left == nil || end.Result.Left.GoesOn {
		t.Fatalf("the run ended with %v, and left %+v", end.Err, end.Result.Left)
	}
	if looked.Err != nil || behind > time.Minute || shown[len(shown)-1].Type != runner.RunFinished {
		t.Errorf("the follower ended %s after the run, with %v", behind, looked.Err)
	}
	if failed := stepsOf(shown, runner.StepFailed); !slices.Equal(failed, []journal.StepID{migration.StepSwitch}) || slices.Contains(stepsOf(shown, runner.StepFinished), migration.StepSwitch) {
		t.Errorf("steps %v are shown as failed", failed)
	}
	bubble(t, w, func(context.Context) {
		pass(time.Hour)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.advance(time.Now())
	})
	if n := w.switchedMachines(); n < 1 || n > 2 {
		t.Errorf("an hour later %d of %d machines were changed", n, len(w.machines))
	}
	return w
}
