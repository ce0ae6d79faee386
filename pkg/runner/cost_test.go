package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestString(t *testing.T) {
	for about, want := range map[About]string{0: "", -3: "", 1: "1s", 9: "9s", 10: "~10s", 59: "~59s", Minute: "~1m", Minute + 1: "~2m", 12 * Minute: "~12m"} {
		if got := about.String(); got != want {
			t.Errorf("%d seconds: %q, want %q", about, got, want)
		}
	}
}

// A done step costs nothing. A step that only reads takes time, but starts no run. A step in
// progress counts as planned.
func TestCostOf(t *testing.T) {
	step := func(id journal.StepID, kind StateKind, plan Plan) PlannedStep {
		return PlannedStep{Info: Info{ID: id}, State: State{Kind: kind}, Plan: plan}
	}
	rolls := Plan{Rolls: 3, Takes: 6 * Minute, Pauses: Pauses{1, 3, 13, 24}}
	last := PlannedStep{Info: Info{ID: "last", Irreversible: "it is a new world"}, State: State{Kind: Todo}, Plan: Plan{Rolls: 6}}
	reads := step("reads", Always, Plan{Takes: 10})
	done := last
	done.State.Kind = Done
	for name, tt := range map[string]struct {
		steps []PlannedStep
		want  Cost
	}{
		"nothing planned": {nil, Cost{}},
		"nothing to do":   {[]PlannedStep{reads, step("a", Done, rolls), done}, Cost{}},
		"one is done": {[]PlannedStep{reads, step("a", Done, rolls), step("b", Todo, rolls), step("c", Skipped, rolls)},
			Cost{Steps: 1, Restarts: 3, Seconds: 6*Minute + 10, Pauses: Pauses{1, 3, 13, 24}}},
		"one in progress": {[]PlannedStep{step("a", InProgress, rolls), step("b", Todo, Plan{Takes: 1})},
			Cost{Steps: 2, Restarts: 3, Seconds: 6*Minute + 1, Pauses: Pauses{1, 3, 13, 24}}},
		"of one nothing is known": {[]PlannedStep{step("a", Todo, Plan{Takes: Minute, Pauses: Pauses{1, 1, 10, 20}}), last, step("b", Todo, rolls)},
			Cost{Steps: 3, Restarts: 9, Seconds: 7 * Minute, Untimed: 1, Pauses: Pauses{2, 4, 10, 24}, Irreversible: []journal.StepID{"last"}}},
	} {
		if d := cmp.Diff(tt.want, CostOf(tt.steps)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
