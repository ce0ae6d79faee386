package runner

import (
	"encoding/json"
	"slices"
	"strings"
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

// A file of a user has secrets, so a plan's document holds its hash alone. The hash is compared.
func TestChange_document_holdsNoFile(t *testing.T) {
	change := Change{Object: "file cluster.yml", Result: "s3backupconfig: {secret_key: seCret}", SHA256: "ab"}
	text, err := json.Marshal(change)
	if err != nil || strings.Contains(string(text), "seCret") {
		t.Errorf("%s, %v", text, err)
	}
	other := change
	other.SHA256 = "cd"
	step := func(c Change) []PlannedStep {
		return []PlannedStep{{Info: Info{ID: "edit"}, State: State{Kind: Todo}, Plan: Plan{Changes: []Change{c}}}}
	}
	one, err := approvedOf(step(change))
	two, err2 := approvedOf(step(other))
	if err != nil || err2 != nil || slices.Equal(one["edit"], two["edit"]) {
		t.Errorf("two files are one approval: %v, %v, %v, %v", one, two, err, err2)
	}
}
