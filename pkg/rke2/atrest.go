package rke2

import (
	"fmt"
	"reflect"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// AtRest lists what still moves, or is broken, on Rancher's side. Nothing may be
// written while the list is not empty: Rancher reports an edit as applied only
// when a whole pass of its planner has no waiting machine
// (rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.8.5), and a
// control plane that is down now would come back with today's arguments.
func (f Facts) AtRest() []Unrest {
	problems := f.planeAtRest()
	for _, m := range f.Machines {
		problems = append(problems, machineAtRest(m)...)
	}
	problems = append(problems, f.poolsAtRest()...)
	if len(problems) == 0 && !f.copied() {
		problems = append(problems, Unrest{Object: f.object(), Seen: "Rancher has not copied its configuration to the RKEControlPlane yet",
			Wanted: "the same configuration in both"})
	}
	return problems
}

// copied says whether Rancher's asynchronous copy of the configuration gives
// every machine what the Cluster object gives it. In the moment after an edit
// everything else still looks at rest.
func (f Facts) copied() bool {
	plane, err := f.planeSpec()
	if err != nil {
		return false
	}
	for _, m := range f.Machines {
		if !reflect.DeepEqual(config.Effective(f.Cluster.Spec, m.Machine).Values(), config.Effective(plane, m.Machine).Values()) {
			return false
		}
	}
	return f.Cluster.Spec.AdditionalManifest == plane.AdditionalManifest
}

// planeSpec is the configuration that the planner works from.
func (f Facts) planeSpec() (config.Spec, error) {
	return config.Parse(map[string]any{"kind": "RKEControlPlane", "metadata": map[string]any{
		"namespace": f.Cluster.Namespace, "name": f.Cluster.Name}, "spec": f.ControlPlane.Spec})
}

func (f Facts) planeAtRest() []Unrest {
	object := fmt.Sprintf(planeKind+"%s/%s", f.Cluster.Namespace, f.Cluster.Name)
	plane := f.ControlPlane
	if !plane.Found {
		return []Unrest{{Object: object, Seen: "does not exist", Wanted: "Rancher's copy of the cluster's configuration"}}
	}
	var problems []Unrest
	add := func(bad bool, seen, wanted string) {
		if bad {
			problems = append(problems, Unrest{Object: object, Seen: seen, Wanted: wanted})
		}
	}
	add(f.Cluster.Deleting, "the Cluster is being deleted", "a cluster that stays")
	if plane.Paused {
		problems = append(problems, Unrest{Object: object, Seen: pausedText(plane), Wanted: "not paused", OurPause: plane.PausedBy != ""})
	}
	add(f.CAPIPaused, "the CAPI Cluster is paused", "not paused")
	add(plane.ObservedGeneration < plane.Generation,
		fmt.Sprintf("observedGeneration %d of %d", plane.ObservedGeneration, plane.Generation), "the newest generation observed")
	add(!reflect.DeepEqual(plane.Spec, plane.AppliedSpec), notApplied+" (appliedSpec differs from spec)", "appliedSpec equal to spec")
	for _, kind := range []string{"Ready", "Reconciled"} {
		condition := plane.Conditions[kind]
		add(condition.Status != "True", conditionText(kind, condition), kind+"=True")
	}
	add(unfinished(plane.SnapshotPhase) || f.Cluster.Spec.SnapshotGeneration > plane.SnapshotGeneration,
		"an etcd snapshot is under way ("+plane.SnapshotPhase+")", "no snapshot under way")
	add(unfinished(plane.RestorePhase), "an etcd restore is under way ("+plane.RestorePhase+")", "no restore under way")
	add(plane.RotationPhase != "" && plane.RotationPhase != "Done" && plane.RotationPhase != "Failed",
		"encryption keys are being rotated ("+plane.RotationPhase+")", "no rotation under way")
	return problems
}

func unfinished(phase string) bool {
	return phase != "" && phase != "Finished" && phase != "Failed"
}

func pausedText(plane ControlPlane) string {
	if plane.PausedBy != "" {
		return "paused by awsmigrate (" + plane.PausedBy + ")"
	}
	return "paused by annotation " + pausedAnnotation
}

func conditionText(kind string, c Condition) string {
	if c.Status == "" {
		return "condition " + kind + " is missing"
	}
	text := kind + "=" + c.Status
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

func machineAtRest(m Machine) []Unrest {
	object := machineKind + m.Name
	if m.Deleting {
		return []Unrest{{Object: object, Seen: "is being deleted", Wanted: "gone, or here to stay"}}
	}
	if m.NodeName == "" {
		return []Unrest{{Object: object, Seen: "has no Node yet", Wanted: "status.nodeRef"}}
	}
	var problems []Unrest
	for _, kind := range []string{"PlanApplied", "Reconciled"} {
		if condition := m.Conditions[kind]; condition.Status != "True" {
			problems = append(problems, Unrest{Object: object, Seen: conditionText(kind, condition), Wanted: kind + "=True"})
		}
	}
	return problems
}

func (f Facts) poolsAtRest() []Unrest {
	have := map[string]int64{}
	for _, m := range f.Machines {
		if !m.Deleting {
			have[m.Pool]++
		}
	}
	var problems []Unrest
	for _, pool := range f.Cluster.Spec.Pools {
		if have[pool.Name] == pool.Quantity {
			continue
		}
		problems = append(problems, Unrest{Object: "machine pool " + pool.Name,
			Seen: fmt.Sprintf("%d of %d Machines", have[pool.Name], pool.Quantity), Wanted: "its replicas"})
	}
	return problems
}
