package runner

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// While a plan waits for approval, a killed run may still act. A step that is done meanwhile
// keeps the plan valid; a change that differs does not.
func TestCovers(t *testing.T) {
	plan := func(steps ...PlannedStep) approvedWrites {
		a, err := approvedOf(steps)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	step := func(id journal.StepID, kind StateKind, objects ...string) PlannedStep {
		p := PlannedStep{Info: Info{ID: id}, State: State{Kind: kind}}
		for _, object := range objects {
			p.Changes = append(p.Changes, Change{Object: object, Diff: "for people"})
		}
		return p
	}
	yes := plan(step("check", Always), step("a", InProgress, "x", "y"), step("b", Todo, "z"), step("none", Todo))
	for name, tt := range map[string]struct {
		now  approvedWrites
		want bool
	}{
		"the same":             {plan(step("a", InProgress, "x", "y"), step("b", Todo, "z")), true},
		"begun became done":    {plan(step("a", Done), step("b", Todo, "z")), true},
		"one change is made":   {plan(step("a", InProgress, "y"), step("b", Todo, "z")), true},
		"nothing is left":      {plan(), true},
		"another step":         {plan(step("b", Todo, "z"), step("c", Todo)), false},
		"another change":       {plan(step("b", Todo, "w")), false},
		"a change in another":  {plan(step("b", Todo, "x")), false},
		"an additional change": {plan(step("none", Todo, "v")), false},
	} {
		if got := yes.covers(tt.now); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
