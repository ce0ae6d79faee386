package rke2

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// controlPlane is a kube-controller-manager and its machine, as they run with arguments.
func controlPlane(lacks string, args ...string) migration.Reading {
	return migration.Reading{
		Members: []migration.Member{{ID: "1", Name: "cp", ControlPlane: true, Missing: lacks}},
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
		"flagged":                       {migration.StepEnable, controlPlane("", aws, flag), before(migration.StepEnable, "h1"), ""},
		"no flag yet":                   {migration.StepEnable, controlPlane("", aws), before(migration.StepEnable, "h1"), "kube-controller-manager of Machine cp runs in-tree"},
		"flagged, not Ready":            {migration.StepEnable, notReady(controlPlane("", aws, flag)), nil, "is not Ready"},
		"flagged before the edit":       {migration.StepEnable, controlPlane("", aws, flag), before(migration.StepEnable, "h2"), "has not restarted since the edit"},
		"flagged, journal of another":   {migration.StepEnable, controlPlane("", aws, flag), before(migration.StepSwitch, "h2"), ""},
		"flagged, journal gone":         {migration.StepEnable, controlPlane("", aws, flag), nil, ""},
		"switched":                      {migration.StepSwitch, controlPlane("", external), before(migration.StepSwitch, "h1"), ""},
		"its kubelet is not":            {migration.StepSwitch, controlPlane("its kubelet runs with provider \"aws\"", external), nil, "its kubelet runs"},
		"the component is not":          {migration.StepSwitch, controlPlane("", aws), nil, "cp: kube-controller-manager runs in-tree"},
		"switched with the flag":        {migration.StepSwitch, controlPlane("", external, flag), nil, "runs external with leader migration"},
		"switched, not Ready":           {migration.StepSwitch, notReady(controlPlane("", external)), nil, "is not Ready"},
		"switched, of before":           {migration.StepSwitch, controlPlane("", external), before(migration.StepSwitch, "h2"), "has not restarted"},
		"in-tree again":                 {migration.StepUndoSwitch, controlPlane("runs aws", aws, flag), nil, ""},
		"external still":                {migration.StepUndoSwitch, controlPlane("runs aws", external, flag), nil, "runs external with leader migration"},
		"in-tree without the flag":      {migration.StepUndoSwitch, controlPlane("runs aws", aws), nil, "runs in-tree"},
		"in-tree, its machine is not":   {migration.StepUndoSwitch, controlPlane("", aws, flag), nil, "cp runs with the external provider still"},
		"in-tree again, not Ready":      {migration.StepUndoSwitch, notReady(controlPlane("runs aws", aws, flag)), nil, "is not Ready"},
		"flag gone":                     {migration.StepUndoEnable, controlPlane("", aws), nil, ""},
		"flag still there":              {migration.StepUndoEnable, controlPlane("", aws, flag), nil, "runs in-tree with leader migration"},
		"flag gone, not Ready":          {migration.StepUndoEnable, notReady(controlPlane("", aws)), nil, "is not Ready"},
		"every kubelet runs the target": {migration.StepUpgrade, runs(target), nil, ""},
		"one does not":                  {migration.StepUpgrade, runs("v1.26.13+rke2r1"), nil, "Node n runs v1.26.13+rke2r1"},
	} {
		p := &Backend{}
		p.options.KubernetesVersion = target
		facts := rancherfixture.Resting()
		facts.Machines = []rancher.Machine{{Machine: config.Machine{Name: "cp", UID: "1"}}}
		open, done, total, evidence := p.machines(migration.Snapshot{Reading: tt.reading, Config: observed{Facts: facts}}, tt.step, tt.before)
		if said := strings.Join(open, "; "); !strings.Contains(said, tt.open) || (said == "") != (tt.open == "") {
			t.Errorf("%s: open %q, want %q", name, said, tt.open)
		}
		if total != 1 || (tt.open == "") != (done == 1) && tt.step != migration.StepUndoSwitch || !strings.Contains(evidence, "of 1 ") {
			t.Errorf("%s: %d of %d, %q", name, done, total, evidence)
		}
	}
}

// What Rancher's copy, or the user's own object, lacks of the edit of a step.
func TestMissing(t *testing.T) {
	plain := config.Spec{Object: "Cluster fleet-default/demo", KubernetesVersion: "v1.26.13+rke2r1", Global: map[string]any{config.KeyProvider: "aws"}}
	with := func(change func(*config.Spec)) config.Spec {
		spec := plain
		change(&spec)
		return spec
	}
	flagged := with(func(s *config.Spec) {
		s.Global = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}
	})
	for name, tt := range map[string]struct {
		step journal.StepID
		spec config.Spec
		has  bool
		at   string // a place that it lacks
	}{
		"the flag":                  {migration.StepEnable, flagged, true, ""},
		"no flag":                   {migration.StepEnable, plain, false, "machineSelectorConfig"},
		"no flag left":              {migration.StepUndoEnable, plain, true, ""},
		"the flag is left":          {migration.StepUndoEnable, flagged, false, "kube-controller-manager-arg"},
		"the version":               {migration.StepUpgrade, with(func(s *config.Spec) { s.KubernetesVersion = "v1.27.16+rke2r1" }), true, ""},
		"another version":           {migration.StepUpgrade, plain, false, "spec.kubernetesVersion"},
		"a step that edits nothing": {migration.StepInstall, plain, false, "edits nothing"},
	} {
		p := &Backend{options: Options{EndState: rke2checks.EndOverrides}}
		p.options.KubernetesVersion = "v1.27.16+rke2r1"
		facts := rancherfixture.Posted()
		facts.Cluster.Spec = plain
		has, lacks := p.missing(migration.Snapshot{Config: observed{Facts: facts}}, tt.step)(tt.spec)
		if has != tt.has || !has && !strings.Contains(strings.Join(lacks, " "), tt.at) {
			t.Errorf("%s: has %t, lacks %q", name, has, lacks)
		}
	}
}

// What the journal has of the control planes before an edit is needed: without it nobody
// can tell which of them was restarted.
func TestRolloutNeedsWhatWasNoted(t *testing.T) {
	p := ofDemo(nil)
	p.exits = map[string]exits{}
	facts := rancherfixture.Posted()
	facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, nil
	tx := clustertest.TxOf(t, "run-2", migration.StepEnable)
	if err := tx.Note(t.Context(), manifestsNote, "no map"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Rollout(t.Context(), tx, migration.Snapshot{Config: observed{Facts: facts}}, migration.StepEnable); err == nil {
		t.Errorf("%+v", got)
	}
}

// A rollout stops at a component that crashes, after this run saw it end again and again.
func TestRolloutStopsAtACrash(t *testing.T) {
	p := ofDemo(nil)
	p.exits = map[string]exits{}
	facts := rancherfixture.Posted()
	facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, nil
	for restarts := range int32(6) {
		seen := migration.Snapshot{Config: observed{Facts: facts}, Reading: migration.Reading{KCMs: []migration.KCM{kcmFor("a", restarts == 0, restarts, "boom", "--bogus=1")}}}
		got, err := p.Rollout(t.Context(), clustertest.TxOf(t, "run-2", migration.StepEnable), seen, migration.StepEnable)
		if err != nil || (got.Verdict != nil) != (restarts >= crashLimit) {
			t.Errorf("after %d restarts: %v, %+v", restarts, err, got.Verdict)
		}
		if got.Verdict != nil && got.Verdict.Progress != got.Progress {
			t.Errorf("%+v", got.Verdict)
		}
	}
}
