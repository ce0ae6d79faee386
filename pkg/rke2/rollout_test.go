package rke2

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// controlPlane is a kube-controller-manager and its machine, as they run with arguments.
func controlPlane(lacks string, args ...string) migration.Reading {
	return migration.Reading{
		Members: []migration.Member{{ID: "1", Name: "cp", ControlPlane: true, Lacks: lacks}},
		KCMs: []migration.KCM{{Member: "cp", Kind: "Machine", ID: "1", Known: true, Ready: true, Hash: "h2", Started: "2026-11-22T12:00:05Z",
			Args: component.Parse(args)}},
	}
}

func notReady(r migration.Reading) migration.Reading {
	r.KCMs[0].Ready = false
	return r
}

func runs(version string) migration.Reading {
	return migration.Reading{Down: downstream.Cluster{Nodes: []downstream.Node{{Name: "n", Kubelet: version}}}}
}

// What a control plane, and a machine, still lacks of the edit of each step.
func TestMachinesLack(t *testing.T) {
	const flag, aws, external = "--enable-leader-migration", "--cloud-provider=aws", "--cloud-provider=external"
	before := func(step journal.StepID, hash string) manifests {
		return manifests{"1": {Step: step, Hash: hash, Started: "2026-11-22T12:00:00Z"}}
	}
	target := "v1.27.16+rke2r1"
	for name, tt := range map[string]struct {
		step    journal.StepID
		reading migration.Reading
		before  manifests
		open    string // in what is open; "": nothing is
	}{
		"flagged":                       {StepEnable, controlPlane("", aws, flag), before(StepEnable, "h1"), ""},
		"no flag yet":                   {StepEnable, controlPlane("", aws), before(StepEnable, "h1"), "has no flag yet"},
		"flagged, not Ready":            {StepEnable, notReady(controlPlane("", aws, flag)), nil, "is not Ready"},
		"flagged before the edit":       {StepEnable, controlPlane("", aws, flag), before(StepEnable, "h2"), "has not restarted since the edit"},
		"flagged, journal of another":   {StepEnable, controlPlane("", aws, flag), before(StepSwitch, "h2"), ""},
		"flagged, journal gone":         {StepEnable, controlPlane("", aws, flag), nil, ""},
		"switched":                      {StepSwitch, controlPlane("", external), before(StepSwitch, "h1"), ""},
		"its kubelet is not":            {StepSwitch, controlPlane("its kubelet runs with provider \"aws\"", external), nil, "its kubelet runs"},
		"the component is not":          {StepSwitch, controlPlane("", aws), nil, "runs with provider aws"},
		"switched with the flag":        {StepSwitch, controlPlane("", external, flag), nil, "still has enable-leader-migration"},
		"switched, not Ready":           {StepSwitch, notReady(controlPlane("", external)), nil, "is not Ready"},
		"switched, of before":           {StepSwitch, controlPlane("", external), before(StepSwitch, "h2"), "has not restarted"},
		"in-tree again":                 {migration.StepUndoSwitch, controlPlane("runs aws", aws, flag), nil, ""},
		"external still":                {migration.StepUndoSwitch, controlPlane("runs aws", external, flag), nil, "is external still"},
		"in-tree without the flag":      {migration.StepUndoSwitch, controlPlane("runs aws", aws), nil, "has no flag"},
		"in-tree, its machine is not":   {migration.StepUndoSwitch, controlPlane("", aws, flag), nil, "cp runs with the external provider still"},
		"in-tree again, not Ready":      {migration.StepUndoSwitch, notReady(controlPlane("runs aws", aws, flag)), nil, "is not Ready"},
		"flag gone":                     {migration.StepUndoEnable, controlPlane("", aws), nil, ""},
		"flag still there":              {migration.StepUndoEnable, controlPlane("", aws, flag), nil, "has the flag still"},
		"flag gone, not Ready":          {migration.StepUndoEnable, notReady(controlPlane("", aws)), nil, "is not Ready"},
		"every kubelet runs the target": {StepUpgrade, runs(target), nil, ""},
		"one does not":                  {StepUpgrade, runs("v1.26.13+rke2r1"), nil, "Node n runs v1.26.13+rke2r1"},
	} {
		p := &Backend{}
		p.options.KubernetesVersion = target
		facts := resting()
		facts.Machines = []Machine{{Machine: config.Machine{Name: "cp", UID: "1"}}}
		open, done, total, evidence := p.machines(migration.Snapshot{Reading: tt.reading, Config: observed{Facts: facts}}, tt.step, tt.before)
		if said := strings.Join(open, "; "); !strings.Contains(said, tt.open) || (said == "") != (tt.open == "") {
			t.Errorf("%s: open %q, want %q", name, said, tt.open)
		}
		if total != 1 || (tt.open == "") != (done == 1) && tt.step != migration.StepUndoSwitch || !strings.Contains(evidence, "of 1 ") {
			t.Errorf("%s: %d of %d, %q", name, done, total, evidence)
		}
	}
}

// The plan of a step is made on top of the edits of those before it, forwards and back.
func TestPlansAreOnTopOfOneAnother(t *testing.T) {
	plain := map[string]any{config.KeyProvider: "aws"}
	for name, tt := range map[string]struct {
		step   journal.StepID
		global map[string]any
		at     position.Position
		after  string // in the changes
		none   bool   // there are none
	}{
		"the flag":                      {step: StepEnable, global: plain, at: position.P1, after: "enable-leader-migration"},
		"the switch, before the flag":   {step: StepSwitch, global: plain, at: position.P1, after: "external"},
		"the switch, after it":          {step: StepSwitch, global: map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, at: position.P3, after: "external"},
		"the flag back, never switched": {step: migration.StepUndoEnable, global: map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, at: position.P2},
		"nothing to take back":          {step: migration.StepUndoEnable, global: plain, at: position.P1, none: true},
	} {
		p := &Backend{options: Options{EndState: EndOverrides}}
		facts := posted()
		facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = tt.global, nil
		node := downstream.Node{Name: "cp", Labels: map[string]string{"kubernetes.io/hostname": "cp", machineLabel: "1"}}
		seen := migration.Snapshot{Config: observed{Facts: facts}, Result: at(tt.at)}
		seen.Reading.Down.Nodes = []downstream.Node{node}
		plan, err := p.PlanEdit(t.Context(), seen, tt.step)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := fmt.Sprintf("%+v", plan.Changes)
		if (len(plan.Changes) == 0) != tt.none || !strings.Contains(text, tt.after) || (plan.Rolls > 0) == tt.none {
			t.Errorf("%s: %d rolls, %s", name, plan.Rolls, text)
		}
	}
}

// An upgrade's edit is gone once the version is there, and refused where it skips one.
func TestUpgradeEdit(t *testing.T) {
	for target, want := range map[string]struct {
		changes int
		refused bool
	}{
		"v1.26.13+rke2r1": {}, "v1.27.16+rke2r1": {changes: 1}, "v1.28.9+rke2r1": {refused: true}, "v1.27.2+rke2r1": {refused: true},
	} {
		p := &Backend{}
		p.options.KubernetesVersion = target
		edit, err := p.Edit(t.Context(), migration.Snapshot{Config: observed{Facts: resting()}}, StepUpgrade)
		if (err != nil) != want.refused || len(edit.Changes) != want.changes {
			t.Errorf("%s: %v, %v", target, err, edit.Changes)
		}
	}
}
