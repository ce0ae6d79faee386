package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// stillThere holds the times for which the old kube-controller-manager of each rollout runs next
// to the new one, which a kubelet shows at once: the outage of its API server. On a real kubelet,
// 25.7 s were observed.
var stillThere = []time.Duration{26 * time.Second, 90 * time.Second}

// doubledMachines returns the machines on which two kube-controller-managers run.
func (w *World) doubledMachines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.doubledMachinesLocked()
}

// doubledMachinesLocked does the same with w.mu held, as in the hooks of a Process.
func (w *World) doubledMachinesLocked() []string {
	on, twice := map[string]int{}, []string(nil)
	for _, p := range w.processes {
		if p.component != kcmName {
			continue
		}
		if on[p.node]++; on[p.node] == 2 {
			twice = append(twice, p.node)
		}
	}
	return twice
}

// newRolloutWatch reports the steps at which two of them ran although a rollout was called over. A
// rollout ends with its step, and no later step may begin either.
func newRolloutWatch(w *World, says func(string)) runner.Sink {
	after := map[journal.StepID]bool{"cordon": true, "install-ccm": true, "uncordon": true, "verify": true, "disable-leader-migration": true,
		"undo-install-ccm": true, "undo-lease-access": true}
	rolls := map[journal.StepID]bool{"enable-leader-migration": true, "switch-provider": true, "undo-switch-provider": true, "undo-enable-leader-migration": true}
	return runner.SinkFunc(func(e runner.Event) {
		if e.Type == runner.StepFinished && rolls[e.Step] || e.Type == runner.StepStarted && after[e.Step] {
			if twice := w.doubledMachines(); len(twice) > 0 {
				says(fmt.Sprintf("%s of %s while two run on %v", e.Type, e.Step, twice))
			}
		}
	})
}

// The end of each rollout waits for a kube-controller-manager that outlives its mirror pod, in
// both directions, although the API shows the desired state.
func TestOldProcessesAreGoneWhenARollEnds(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[natural]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, long := range stillThere {
				checkOldProcesses(t, s, long)
			}
		})
	}
}

func checkOldProcesses(t *testing.T, s scenario, long time.Duration) {
	t.Helper()
	seen := false
	w := s.world()
	w.outlive = long
	for _, r := range []Run{s.run, undoOf(s.run)} {
		r.ID = w.nextRun()
		r.Sink = newRolloutWatch(w, func(wrong string) { t.Errorf("for %s: %s", long, wrong) })
		r.Before = func(Call) Outcome {
			seen = seen || len(w.doubledMachinesLocked()) > 0
			return Pass
		}
		if ended := do(t, r, w); ended.Err != nil {
			t.Fatal(ended.Err)
		}
	}
	for _, v := range w.Violations() {
		t.Errorf("for %s: %s", long, v)
	}
	if !seen {
		t.Errorf("for %s: no two processes ran side by side, so nothing is proven", long)
	}
}

// A run that resumes another run's rollout waits as well.
func TestOldProcessesAreGoneWhenARollIsTakenUp(t *testing.T) {
	s := scenarios[0]
	w := s.world()
	w.outlive = stillThere[0]
	first := s.run
	first.ID = w.nextRun()
	_, points := traceRun(t, first, w)
	tried, every := 0, sampleStride(3)
	for _, p := range points {
		if len(p.world.doubledMachines()) == 0 {
			continue
		}
		if tried++; tried%every != 0 {
			continue
		}
		r := s.run
		r.ID = p.world.nextRun()
		r.Sink = newRolloutWatch(p.world, func(wrong string) { t.Errorf("%s: %s", p.where, wrong) })
		if ended := do(t, r, p.world); ended.Err != nil {
			t.Errorf("%s: %v", p.where, ended.Err)
		}
	}
	if tried < every {
		t.Errorf("%d states had two processes side by side", tried)
	}
}
