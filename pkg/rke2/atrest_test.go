package rke2

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// resting is Rancher's side of a cluster on which nothing moves.
func resting() Facts {
	spec := map[string]any{"machineGlobalConfig": map[string]any{}}
	ready := Conditions{"Ready": {Status: "True"}, "Reconciled": {Status: "True"}}
	return Facts{
		Cluster: Cluster{Namespace: "fleet-default", Name: "demo", HasRKEConfig: true,
			Spec: config.Spec{Object: "Cluster fleet-default/demo", KubernetesVersion: "v1.26.13+rke2r1"}},
		ControlPlane: ControlPlane{Found: true, Spec: spec, AppliedSpec: spec, Conditions: ready},
	}
}

func rolling() Facts {
	v := resting()
	v.ControlPlane.AppliedSpec = map[string]any{}
	return v
}

// posted is Rancher's side just after an edit: the Cluster has it, Rancher's copy not yet,
// and everything else looks at rest.
func posted() Facts {
	v := resting()
	v.Machines = []Machine{{Machine: config.Machine{Name: "cp", UID: "1", Labels: map[string]string{"rke.cattle.io/control-plane-role": "true"}},
		NodeName: "cp", Conditions: Conditions{"PlanApplied": {Status: "True"}, "Reconciled": {Status: "True"}}}}
	v.Cluster.Spec.Global = map[string]any{"kube-controller-manager-arg": []any{"enable-leader-migration"}}
	v.Cluster.Spec.Pools = []config.Pool{{Name: "", Quantity: 1}}
	return v
}

func at(p position.Position) position.Result {
	return position.Result{Position: p, Summary: p.Summary(), Between: [2]position.Position{p, p}}
}

// In the moment between an edit and Rancher's copy of it nothing else tells that
// something is about to move.
func TestAtRest(t *testing.T) {
	copied := posted()
	copied.ControlPlane.Spec = map[string]any{"machineGlobalConfig": map[string]any{"kube-controller-manager-arg": []any{"enable-leader-migration"}}}
	copied.ControlPlane.AppliedSpec = copied.ControlPlane.Spec
	for _, tt := range []struct {
		name  string
		facts Facts
		rests bool
	}{
		{"nothing moves", resting(), true},
		{"not applied everywhere", rolling(), false},
		{"posted and not copied", posted(), false},
		{"posted, copied and applied", copied, true},
	} {
		if open := tt.facts.AtRest(); (len(open) == 0) != tt.rests {
			t.Errorf("%s: %v", tt.name, open)
		}
	}
}
