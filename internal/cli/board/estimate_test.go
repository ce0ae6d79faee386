package board

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// The rest of a run is estimated only from machines that this run has measured, and only if every
// later step has a planned time.
func TestEstimateRun(t *testing.T) {
	two := []runner.StepCost{{Step: "enable", Takes: 360, Rolls: 3}, {Step: "verify", Takes: 10}, {Step: "switch", Takes: 720, Rolls: 6}}
	machine := func(at int, states ...runner.MachineState) runner.Event {
		w := &runner.Wait{For: "x", Seen: "y"}
		for i, state := range states {
			w.Machines = append(w.Machines, runner.Machine{Name: string(rune('a' + i)), Group: runner.ControlPlanes, State: state})
		}
		return runner.Event{Type: runner.StepWaiting, Step: "enable", Time: after(at), Waiting: w}
	}
	started := func(ahead []runner.StepCost) runner.Event {
		return runner.Event{Type: runner.StepStarted, Step: "enable", Time: after(0), Ahead: ahead}
	}
	measured := []runner.Event{machine(10, runner.MachineWaits, runner.MachineWaits, runner.MachineWaits), machine(20, runner.MachineChanging, runner.MachineWaits, runner.MachineWaits),
		machine(80, runner.MachineDone, runner.MachineChanging, runner.MachineWaits)}
	for name, tt := range map[string]struct {
		ahead  []runner.StepCost
		events []runner.Event
		want   time.Duration // 0: no estimate
	}{
		// Machines take 60 s, half of the plan: 60 s and 60 s here, 10 s, and half of 720 s.
		"measured_isScaled":         {two, measured, 490 * time.Second},
		"notMeasured_none":          {two, measured[:2], 0},
		"laterStepUntimed_none":     {append(two[:2:2], runner.StepCost{Step: "switch"}), measured, 0},
		"noPlan_none":               {nil, measured, 0},
		"planOfAnotherStep_none":    {two[1:], measured, 0},
		"currentStepNotRolled_none": {[]runner.StepCost{{Step: "enable", Takes: 60}, two[2]}, measured, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := renderer{State: play(append([]runner.Event{started(tt.ahead)}, tt.events...)...), now: after(80)}
			if got, known := r.estimateRun(); got.Round(time.Second) != tt.want && known || known != (tt.want > 0) {
				t.Errorf("%s, known %t", got, known)
			}
		})
	}
}

// The time of a question is no time of the run.
func TestAfter_lockTaken_leavesQuestionOut(t *testing.T) {
	s := play(runner.Event{Type: runner.RunStarted, Time: after(0)}, runner.Event{Type: runner.LockTaken, Time: after(100), Elapsed: 4 * time.Second})
	if !s.runBegan.Equal(after(96)) {
		t.Errorf("the run began at %s", s.runBegan)
	}
}
