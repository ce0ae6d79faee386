package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
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

func node(name, args string) downstream.Node {
	return downstream.Node{Name: name,
		Annotations: map[string]string{config.NodeArgsAnnotation: args},
		Labels:      map[string]string{"kubernetes.io/hostname": name}}
}
