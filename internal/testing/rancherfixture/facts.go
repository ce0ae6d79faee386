package rancherfixture

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Resting returns Rancher's facts of a cluster at rest.
func Resting() rancher.Facts {
	spec := map[string]any{"machineGlobalConfig": map[string]any{}}
	ready := rancher.Conditions{"Ready": {Status: "True"}, "Reconciled": {Status: "True"}}
	return rancher.Facts{
		Cluster: rancher.Cluster{Namespace: "fleet-default", Name: "demo", HasRKEConfig: true,
			Spec: config.Spec{Object: "Cluster fleet-default/demo", KubernetesVersion: "v1.26.13+rke2r1"}},
		ControlPlane: rancher.ControlPlane{Found: true, Spec: spec, AppliedSpec: spec, Conditions: ready},
	}
}

// Posted returns Rancher's facts right after an edit. The Cluster has the edit, Rancher's copy
// does not yet, and everything else looks at rest.
func Posted() rancher.Facts {
	v := Resting()
	v.Machines = []rancher.Machine{{Machine: config.Machine{Name: "cp", UID: "1", Labels: map[string]string{"rke.cattle.io/control-plane-role": "true"}},
		NodeName: "cp", Conditions: rancher.Conditions{"PlanApplied": {Status: "True"}, "Reconciled": {Status: "True"}}}}
	v.Cluster.Spec.Global = map[string]any{"kube-controller-manager-arg": []any{"enable-leader-migration"}}
	v.Cluster.Spec.Pools = []config.Pool{{Name: "", Quantity: 1}}
	return v
}

// Node returns a Node that RKE2 registered with args, the JSON of its annotation. Its host name
// equals its name.
func Node(name, args string) downstream.Node {
	return downstream.Node{Name: name,
		Annotations: map[string]string{config.NodeArgsAnnotation: args},
		Labels:      map[string]string{"kubernetes.io/hostname": name}}
}
