package rke2

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// specOf returns the current spec of the Cluster.
func specOf(t *testing.T, client *dynamicfake.FakeDynamicClient) object {
	t.Helper()
	cluster, err := client.Resource(rancherfixture.Clusters).Namespace("fleet-default").Get(t.Context(), "demo", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Object["spec"].(object)
}

// plan returns the plan of a step, on top of the edits of the previous steps.
func (b *Backend) plan(t *testing.T, snap migration.Snapshot, step journal.StepID) (runner.Plan, error) {
	t.Helper()
	edit, err := b.Edit(t.Context(), snap, procedure.StepsTo(b.options.Options, snap, step)...)
	if err != nil {
		return runner.Plan{}, err
	}
	return edit.Plan()
}

// An edit is written with its inverse and the state of the control planes. The undo restores
// the original configuration exactly.
func TestBackendEdit_writeThenUndo_restored(t *testing.T) {
	p, client := newMigration(t, Options{EndState: rke2checks.EndOverrides}, nil)
	tx := clustertest.TxOf(t, "run-2", migration.StepEnable)
	before := specOf(t, client)
	edit := func(step journal.StepID) migration.Edit {
		t.Helper()
		got, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(step, p.options.Options))
		if err != nil || got.Object != "Cluster fleet-default/demo" {
			t.Fatal(step, err, got.Object)
		}
		return got
	}
	enable := edit(migration.StepEnable)
	if enable.Empty() || len(enable.Locations()) != len(enable.Changes) {
		t.Fatalf("%+v", enable)
	}
	if err := enable.Write(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	var noted manifests
	intents := tx.Record().Intents
	if _, err := tx.NoteInto(manifestsNote, &noted); err != nil || noted["uid-cp"].Hash != "h" || noted["uid-cp"].Step != migration.StepEnable || len(intents) != 1 || len(intents[0].Inverse) == 0 || intents[0].Object != enable.Object {
		t.Errorf("%v, noted %+v, intents %+v", err, noted, intents)
	}
	if d := cmp.Diff(before, specOf(t, client)); d == "" || !edit(migration.StepEnable).Empty() {
		t.Error("nothing was written")
	}
	tx = clustertest.TxOf(t, "run-2", migration.StepUndoEnable, intents...)
	if err := edit(migration.StepUndoEnable).Write(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, specOf(t, client)); d != "" || !edit(migration.StepUndoEnable).Empty() {
		t.Error(d)
	}
	if _, err := p.Edit(t.Context(), p.observe(t, journal.Record{}), procedure.EditingOf(migration.StepInstall, p.options.Options)); err == nil {
		t.Error("a step that edits nothing has an edit")
	}
	broken := journal.Record{Intents: []journal.Intent{{Step: migration.StepEnable, Object: enable.Object, Inverse: []byte("{")}}}
	if _, err := p.Edit(t.Context(), p.observe(t, broken), procedure.EditingOf(migration.StepUndoEnable, p.options.Options)); err == nil {
		t.Error("an unreadable inverse was undone")
	}
}

func TestPlanEdit_step_changesAndRolls(t *testing.T) {
	switched := func(all map[string]object) {
		for _, name := range []string{"cluster", "plane"} {
			spec := all[name]["spec"].(object)
			if name == "cluster" {
				spec = spec["rkeConfig"].(object)
			}
			spec["machineGlobalConfig"] = object{config.KeyProvider: "external"}
		}
		all["plane"]["status"].(object)["appliedSpec"] = runtime.DeepCopyJSON(all["plane"]["spec"].(object))
	}
	for name, tt := range map[string]struct {
		step     journal.StepID
		at       position.Position
		objects  func(map[string]object)
		has, not string // text in the diffs
		rolls    int
		empty    bool
	}{
		"enable":                         {migration.StepEnable, position.P1, nil, "+   - enable-leader-migration", "external", 1, false},
		"switch, before the flag":        {migration.StepSwitch, position.P1, nil, "- enable-leader-migration", "", 2, false},
		"switch, with it":                {migration.StepSwitch, position.P2, nil, "external", "- enable-leader-migration", 2, false},
		"undo of a switch":               {migration.StepUndoSwitch, position.P4, switched, "aws", "", 2, false},
		"undo of the flag, after it":     {migration.StepUndoEnable, position.P4, switched, "- enable-leader-migration", "", 1, false},
		"undo of the flag, half of it":   {migration.StepUndoEnable, position.P4, switched, "- enable-leader-migration", "", 1, false},
		"undo of the flag, none is":      {migration.StepUndoEnable, position.P2, nil, "", "enable-leader-migration", 0, true},
		"undo of the flag, in-tree now ": {migration.StepUndoEnable, position.P3, nil, "", "enable-leader-migration", 0, true},
	} {
		p, _ := newMigration(t, Options{EndState: rke2checks.EndOverrides}, tt.objects)
		snap := p.observe(t, journal.Record{})
		if snap.Result = clustertest.ResultAt(tt.at); strings.HasSuffix(name, ", half of it") {
			snap.Result = clustertest.ResultBetween(tt.at-1, tt.at)
		}
		plan, err := p.plan(t, snap, tt.step)
		diff := ""
		for _, c := range plan.Changes {
			diff += c.Diff
		}
		if err != nil || !strings.Contains(diff, tt.has) || tt.not != "" && strings.Contains(diff, tt.not) || plan.Rolls != tt.rolls || (len(plan.Changes) == 0) != tt.empty || len(plan.Summary) != len(plan.Changes) {
			t.Errorf("%s: %v, rolls %d, %+v\n%s", name, err, plan.Rolls, plan.Summary, diff)
		}
		if want := map[int]string{0: "", 1: "~2m", 2: "~4m"}[plan.Rolls]; plan.Takes.String() != want {
			t.Errorf("%s: takes %q", name, plan.Takes)
		}
	}
	p, _ := newMigration(t, Options{EndState: rke2checks.EndOverrides}, nil)
	if _, err := p.plan(t, p.observe(t, journal.Record{}), migration.StepInstall); err == nil {
		t.Error("a step that edits nothing has a plan")
	}
}

func TestFold_previousSteps_applied(t *testing.T) {
	plain := map[string]any{config.KeyProvider: "aws"}
	for name, tt := range map[string]struct {
		step   journal.StepID
		global map[string]any
		at     position.Position
		after  string // text in the changes
		none   bool   // want no changes
	}{
		"the flag":                      {step: migration.StepEnable, global: plain, at: position.P1, after: "enable-leader-migration"},
		"the switch, before the flag":   {step: migration.StepSwitch, global: plain, at: position.P1, after: "external"},
		"the switch, after it":          {step: migration.StepSwitch, global: map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, at: position.P3, after: "external"},
		"the flag back, never switched": {step: migration.StepUndoEnable, global: map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, at: position.P2},
		"nothing to undo":               {step: migration.StepUndoEnable, global: plain, at: position.P1, none: true},
	} {
		p := &Backend{options: Options{EndState: rke2checks.EndOverrides}}
		facts := rancherfixture.Posted()
		facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = tt.global, nil
		node := downstream.Node{Name: "cp", Labels: map[string]string{"kubernetes.io/hostname": "cp", rancher.MachineLabel: "1"}}
		snap := migration.Snapshot{Config: observed{Facts: facts}, Result: clustertest.ResultAt(tt.at)}
		snap.Reading.Down.Nodes = []downstream.Node{node}
		plan, err := p.plan(t, snap, tt.step)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := fmt.Sprintf("%+v", plan.Changes)
		if (len(plan.Changes) == 0) != tt.none || !strings.Contains(text, tt.after) || (plan.Rolls > 0) == tt.none {
			t.Errorf("%s: %d rolls, %s", name, plan.Rolls, text)
		}
	}
}
