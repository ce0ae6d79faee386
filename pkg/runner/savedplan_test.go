package runner

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// filed returns a plan after a round trip through a file.
func filed[T any](t *testing.T, plan T) *T {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return &back
}

func TestCompareWithSaved(t *testing.T) {
	step := func(id journal.StepID, kind StateKind, change func(*PlannedStep)) PlannedStep {
		p := PlannedStep{Info: Info{ID: id}, State: State{Kind: kind}, Plan: Plan{Summary: []string{"does " + string(id)}, Rolls: 3,
			Changes: []Change{{Object: "Cluster c", Location: "a.b", Before: 1, After: map[string]any{"x": []any{1, "y"}}, Diff: "+ x"}}}}
		if change != nil {
			change(&p)
		}
		return p
	}
	saved := filed(t, []PlannedStep{step("check", Always, nil), step("a", Todo, nil), step("b", Todo, nil), step("old", Done, nil)})
	for name, tt := range map[string]struct {
		now  []PlannedStep
		says string // or empty if it is as saved
	}{
		"the same":                     {[]PlannedStep{step("check", Always, nil), step("a", Todo, nil), step("b", Todo, nil)}, ""},
		"a part is done":               {[]PlannedStep{step("a", Done, nil), step("b", Todo, nil)}, ""},
		"half of a step is done":       {[]PlannedStep{step("a", InProgress, func(p *PlannedStep) { p.Changes, p.Summary = nil, nil })}, ""},
		"the checks differ":            {[]PlannedStep{step("check", Always, func(p *PlannedStep) { p.Summary = []string{"80 checks"} })}, ""},
		"another value":                {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes[0].Before = 2 })}, "Cluster c a.b"},
		"another text of it":           {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes[0].Diff = "+ y" })}, ""},
		"another result":               {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes[0].SHA256 = "2" })}, "Cluster c a.b"},
		"one change less":              {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes = nil })}, "Cluster c a.b"},
		"the one that the journal has": {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes, p.written = nil, []string{"Cluster c"} })}, ""},
		"less than the journal has":    {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes, p.written = nil, []string{"Node n"} })}, "Cluster c a.b"},
		"a begun Helm release":         {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes, p.written = nil, []string{everyObject} })}, ""},
		"another value in it":          {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes[0].Before, p.written = 2, []string{everyObject} })}, "Cluster c a.b"},
		"another value of it":          {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes[0].Before, p.written = 2, []string{"Cluster c"} })}, "Cluster c a.b"},
		"one change more":              {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Changes = append(p.Changes, Change{Object: "Node n"}) })}, "Node n"},
		"said in other words":          {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Summary = []string{"does it otherwise"} })}, ""},
		"more machines":                {[]PlannedStep{step("a", Todo, func(p *PlannedStep) { p.Rolls = 4 })}, ""},
		"a step more":                  {[]PlannedStep{step("new", Todo, nil)}, "not in the saved plan"},
		"undone since":                 {[]PlannedStep{step("old", Todo, nil)}, "was done"},
	} {
		err := compareWithSaved(*saved, tt.now)
		if tt.says == "" && err != nil || tt.says != "" && (fault.ClassOf(err) != fault.Stale || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
}

// A saved plan is compared before any question or lock.
func TestRun_savedPlan_appliesExactlyIt(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	_, _, plan, err := PlanAll[Observation](t.Context(), b.p, b.o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	b.o.Saved = filed(t, plan)
	b.p.step("two").plan = func() Plan { return Plan{Changes: []Change{{Object: "something else"}}} }
	if _, err := b.run(); fault.ClassOf(err) != fault.Stale || b.lock.Holder() != nil || len(b.w.facts) > 0 {
		t.Fatalf("%v; facts %v", err, b.w.facts)
	}
	b.p.step("two").plan = nil
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
}
