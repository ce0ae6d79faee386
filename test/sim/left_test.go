package sim

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// After a first interrupt during the switch's rollout, the result names the process that
// continues, and that process does. rke, a child of the run, is allowed to finish.
func TestRun_interruptedInRollout_namesSuccessor(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[2], scenarios[inRancher]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			want := cleanRun(t, s).want
			w, r, ended := s.world(), s.run, Ended{}
			synctest.Test(t, func(t *testing.T) {
				stop, once := make(chan struct{}), sync.Once{}
				r.ID, r.Interrupt = runID(1), stop
				r.Sink = runner.SinkFunc(func(e runner.Event) {
					if e.Type == runner.StepWaiting && e.Step == migration.StepSwitch {
						once.Do(func() { close(stop) })
					}
				})
				ended = r.On(t.Context(), w)
			})
			left := ended.Result.Left
			if fault.ClassOf(ended.Err) != fault.Interrupted || left == nil || left.Step != migration.StepSwitch || left.CutOff {
				t.Fatalf("%v, left %+v", ended.Err, left)
			}
			if alone := left.By == "Rancher"; left.GoesOn != alone || alone && left.Total == 0 {
				t.Errorf("left %+v", left)
			}
			r.Interrupt, r.Sink, r.ID = nil, nil, runID(2)
			if wrong := faults(w, do(t, r, w), want); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// After an interrupt during the CCM's rollout, the result names the process that continues, for
// each way of installing. None continues where the run itself replaces the pods. The remaining
// work matches the words: the same command finds it done or continues.
func TestRun_interruptedInRolloutOfCCM_namesSuccessor(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[1], scenarios[2], scenarios[inRancher]} {
		for _, step := range []journal.StepID{migration.StepInstall, migration.StepDisable} {
			t.Run(s.name+" "+string(step), func(t *testing.T) {
				t.Parallel()
				want := cleanRun(t, s).want
				w, r, ended := s.world(), s.run, Ended{}
				synctest.Test(t, func(t *testing.T) {
					stop, once := make(chan struct{}), sync.Once{}
					r.ID, r.Interrupt = runID(1), stop
					r.Sink = runner.SinkFunc(func(e runner.Event) {
						if e.Type == runner.StepWaiting && e.Step == step && e.Waiting.Done < e.Waiting.Total {
							once.Do(func() { close(stop) })
						}
					})
					ended = r.On(t.Context(), w)
				})
				left := ended.Result.Left
				alone := step == migration.StepInstall || r.Method == migration.InstallManifest
				if fault.ClassOf(ended.Err) != fault.Interrupted || alone != (left != nil) {
					t.Fatalf("%v, left %+v", ended.Err, left)
				}
				if alone && (left.Step != step || !left.GoesOn || left.CutOff || left.Total == 0 || left.Of != "pods of the CCM") {
					t.Fatalf("%v, left %+v", ended.Err, left)
				}
				if alone && left.By != "Kubernetes" && (left.By != "Rancher" || r.Method != migration.InstallManifest) {
					t.Errorf("left %+v", left)
				}
				r.Interrupt, r.Sink, r.ID = nil, nil, runID(2)
				if wrong := faults(w, do(t, r, w), want); wrong != "" {
					t.Error(wrong)
				}
			})
		}
	}
}
