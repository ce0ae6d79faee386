package rancher_test

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Until Rancher copies an edit, no other field shows that a rollout will begin.
func TestAtRest_editNotCopied_pending(t *testing.T) {
	rolling := rancherfixture.Resting()
	rolling.ControlPlane.AppliedSpec = map[string]any{}
	copied := rancherfixture.Posted()
	copied.ControlPlane.Spec = map[string]any{"machineGlobalConfig": map[string]any{"kube-controller-manager-arg": []any{"enable-leader-migration"}}}
	copied.ControlPlane.AppliedSpec = copied.ControlPlane.Spec
	for _, tt := range []struct {
		name  string
		facts rancher.Facts
		rests bool
	}{
		{"nothing moves", rancherfixture.Resting(), true},
		{"not applied everywhere", rolling, false},
		{"posted and not copied", rancherfixture.Posted(), false},
		{"posted, copied and applied", copied, true},
	} {
		if open := tt.facts.AtRest(); (len(open) == 0) != tt.rests {
			t.Errorf("%s: %v", tt.name, open)
		}
	}
}

func TestAtRest_oneChange_oneKind(t *testing.T) {
	plane := func(change func(*rancher.ControlPlane)) func(*rancher.Facts) {
		return func(f *rancher.Facts) { change(&f.ControlPlane) }
	}
	machine := func(change func(*rancher.Machine)) func(*rancher.Facts) {
		return func(f *rancher.Facts) { change(&f.Machines[1]) }
	}
	for name, tt := range map[string]struct {
		change func(*rancher.Facts)
		kind   migration.PendingKind // or empty if the cluster is at rest
	}{
		"at rest":                   {func(*rancher.Facts) {}, ""},
		"no control plane yet":      {plane(func(p *rancher.ControlPlane) { p.Found = false }), "ControlPlaneAbsent"},
		"it is deleted":             {func(f *rancher.Facts) { f.Cluster.Deleting = true }, "ClusterDeleting"},
		"paused by a run":           {plane(func(p *rancher.ControlPlane) { p.Paused, p.PausedBy = true, "r" }), "PausedByRun"},
		"paused by a user":          {plane(func(p *rancher.ControlPlane) { p.Paused = true }), "PausedByOther"},
		"a mark without a pause":    {plane(func(p *rancher.ControlPlane) { p.PausedBy = "r" }), ""},
		"Cluster API pauses it":     {func(f *rancher.Facts) { f.CAPIPaused = true }, "CAPIPaused"},
		"not observed":              {plane(func(p *rancher.ControlPlane) { p.Generation = 5 }), "SpecNotObserved"},
		"not applied":               {plane(func(p *rancher.ControlPlane) { p.AppliedSpec = nil }), "SpecNotApplied"},
		"not Ready":                 {plane(func(p *rancher.ControlPlane) { p.Conditions["Ready"] = rancher.Condition{Status: "False"} }), "ControlPlaneCondition"},
		"not Reconciled":            {plane(func(p *rancher.ControlPlane) { p.Conditions["Reconciled"] = rancher.Condition{Status: "Unknown"} }), "ControlPlaneCondition"},
		"a snapshot is taken":       {plane(func(p *rancher.ControlPlane) { p.SnapshotPhase = "Started" }), "SnapshotUnderWay"},
		"one is asked for":          {func(f *rancher.Facts) { f.Cluster.Spec.SnapshotGeneration = 3 }, "SnapshotUnderWay"},
		"one is finished":           {plane(func(p *rancher.ControlPlane) { p.SnapshotPhase = "Finished" }), ""},
		"one has failed":            {plane(func(p *rancher.ControlPlane) { p.SnapshotPhase = "Failed" }), ""},
		"a restore":                 {plane(func(p *rancher.ControlPlane) { p.RestorePhase = "Started" }), "RestoreUnderWay"},
		"keys are rotated":          {plane(func(p *rancher.ControlPlane) { p.RotationPhase = "Prepare" }), "RotationUnderWay"},
		"keys were":                 {plane(func(p *rancher.ControlPlane) { p.RotationPhase = "Done" }), ""},
		"that failed":               {plane(func(p *rancher.ControlPlane) { p.RotationPhase = "Failed" }), ""},
		"a Machine goes":            {func(f *rancher.Facts) { f.Machines[1].Deleting = true; f.Cluster.Spec.Pools[1].Quantity = 0 }, "MachineDeleting"},
		"one has no Node":           {machine(func(m *rancher.Machine) { m.NodeName = "" }), "MachineWithoutNode"},
		"its plan is not applied":   {machine(func(m *rancher.Machine) { m.Conditions["PlanApplied"] = rancher.Condition{Status: "Unknown"} }), "MachineCondition"},
		"a Machine is missing":      {func(f *rancher.Facts) { f.Cluster.Spec.Pools[1].Quantity = 2 }, "PoolIncomplete"},
		"one too many":              {func(f *rancher.Facts) { f.Cluster.Spec.Pools[1].Quantity = 0 }, "PoolIncomplete"},
		"a copy that lacks an edit": {func(f *rancher.Facts) { f.Cluster.Spec.Global = map[string]any{"x": "y"} }, "SpecNotCopied"},
		"or the manifest":           {func(f *rancher.Facts) { f.Cluster.Spec.AdditionalManifest = "x" }, "SpecNotCopied"},
		"idle":                      {func(f *rancher.Facts) { f.Beacon = rancher.Beacon{Served: true, Found: true} }, ""},
		"the planner works":         {func(f *rancher.Facts) { f.Beacon = rancher.Beacon{Served: true, Found: true, Owner: "planner"} }, ""},
		"an operation works":        {func(f *rancher.Facts) { f.Beacon = rancher.Beacon{Served: true, Found: true, Owner: "rotation"} }, "BeaconHeld"},
		"no Beacon yet":             {func(f *rancher.Facts) { f.Beacon = rancher.Beacon{Served: true} }, "BeaconAbsent"},
		"an unreadable copy": {plane(func(p *rancher.ControlPlane) {
			p.Spec = object{"machineSelectorConfig": "text"}
			p.AppliedSpec = p.Spec
		}), "SpecNotCopied"},
	} {
		f, err := rancher.Clients{Management: rancherfixture.Client(t, nil), ManagementKube: rancherfixture.Release{}.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(&f)
		open := f.AtRest()
		if tt.kind == "" && len(open) > 0 || tt.kind != "" && (len(open) != 1 || open[0].Kind != tt.kind) {
			t.Errorf("%s: %+v", name, open)
		}
		if stops := strings.Contains(string(tt.kind), "Paused"); (len(f.Paused()) == 1) != stops {
			t.Errorf("%s: paused %+v", name, f.Paused())
		}
	}
}
