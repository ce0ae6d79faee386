package sim

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// declineLate answers a run's question with no, after a quarter of an hour.
func declineLate(ctx context.Context, _ runner.Proposal) error {
	select {
	case <-time.After(15 * time.Minute):
	case <-ctx.Done():
	}
	return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: "this run", Seen: "not approved"}
}

// begunMachines returns the number of machines that Rancher has changed, or is changing.
func (w *World) begunMachines() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	spec, count := planeSpec(w.mgmt.get(provClusters, fleet, clusterName)), 0
	for _, m := range w.machines {
		if m.name == w.rancher.rolling || reflect.DeepEqual(m.config, mergeConfig(spec, m)) {
			count++
		}
	}
	return count
}

// A run is killed during a rollout and resumed by the same command, and its user reads the
// question for a quarter of an hour. Harm in the rollout is paused within five seconds, in which
// Rancher begins with at most one more machine.
func TestResumedRunWatchesWhileItsQuestionIsOpen(t *testing.T) {
	for _, s := range guarded {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			resumes(t, s.run, s.run, s.world())
		})
		t.Run(s.name+", undone instead", func(t *testing.T) {
			t.Parallel()
			resumes(t, s.run, undoOf(s.run), s.world())
		})
		t.Run(s.name+", undo", func(t *testing.T) {
			t.Parallel()
			resumes(t, undoOf(s.run), undoOf(s.run), migrateWorld(t, s))
		})
	}
}

func resumes(t *testing.T, killed, again Run, w *World) {
	t.Helper()
	for _, p := range killStates(t, killed, w, sampleStride(8)) {
		p.world.AddSecondNode(1)
		before, began := p.world.begunMachines(), p.world.Now()
		var pausedAfter time.Duration
		var forward []string
		r := again
		r.ID, r.Attended, r.Asks = p.world.nextRun(), true, declineLate
		r.Before = func(c Call) Outcome {
			if goesForward(c) {
				forward = append(forward, c.String())
			}
			return Pass
		}
		r.Sink = runner.SinkFunc(func(e runner.Event) {
			if e.Type == runner.RolloutPaused {
				pausedAfter = p.world.Now().Sub(began)
			}
		})
		ended := do(t, r, p.world)
		f := (*fault.Error)(nil)
		if !errors.As(ended.Err, &f) || f.Reason != "NodeRenamed" || p.world.pausedBy() == "" || len(forward) > 0 {
			t.Errorf("%s: %v, paused by %q; wrote %q", p.where, ended.Err, p.world.pausedBy(), forward)
			continue
		}
		if after := p.world.begunMachines(); pausedAfter > 5*time.Second || after > before+1 {
			t.Errorf("%s: the pause took %s; %d machines were begun before, then %d", p.where, pausedAfter, before, after)
		}
	}
}
