package ccmchart

import (
	"sort"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// baseTolerations returns tolerations for the taints that RKE2, RKE, Kubernetes and cloud
// providers put on control-plane nodes. They use Exists: RKE2's taints have no value, RKE's
// have "true", and a toleration with a value matches only one of them
// (rancher/rancher:pkg/capr/planner getTaints; rancher/rke:services/workerplane.go).
func baseTolerations() []corev1.Toleration {
	var list []corev1.Toleration
	add := func(key string, effects ...corev1.TaintEffect) {
		for _, e := range effects {
			list = append(list, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: e})
		}
	}
	add("node.cloudprovider.kubernetes.io/uninitialized", corev1.TaintEffectNoSchedule)
	add("node-role.kubernetes.io/control-plane", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
	add("node-role.kubernetes.io/controlplane", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
	add("node-role.kubernetes.io/etcd", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
	add("node-role.kubernetes.io/master", corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)
	return list
}

// passing reports whether a taint belongs to Kubernetes and follows the state of a Node. The
// DaemonSet controller tolerates it
// (k8s.io/kubernetes@v1.26.15:pkg/controller/daemon/util/daemonset_util.go), or the machine is
// down. Such a taint is not part of a cluster's configuration.
func passing(taint corev1.Taint) bool {
	switch taint.Key {
	case corev1.TaintNodeUnschedulable, corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeNotReady:
		return true
	}
	return downstream.MachineDown(taint.Key)
}

// Tolerations returns the base list and one more toleration for every other NoSchedule or
// NoExecute taint on control-plane nodes, except for passing ones.
func Tolerations(found []corev1.Taint) []corev1.Toleration {
	list := baseTolerations()
	var more []corev1.Toleration
	for _, taint := range found {
		if taint.Effect == corev1.TaintEffectPreferNoSchedule || passing(taint) {
			continue
		}
		if !tolerated(taint, list) && !tolerated(taint, more) {
			more = append(more, corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpExists, Effect: taint.Effect})
		}
	}
	sort.Slice(more, func(i, j int) bool {
		return more[i].Key+string(more[i].Effect) < more[j].Key+string(more[j].Effect)
	})
	return append(list, more...)
}

// distinctTaints removes taints that are equal to a toleration: nodes of a pool carry the same
// ones.
func distinctTaints(taints []corev1.Taint) []corev1.Taint {
	var out []corev1.Taint
	seen := map[string]bool{}
	for _, taint := range taints {
		if id := taint.ToString(); !seen[id] {
			seen[id] = true
			out = append(out, taint)
		}
	}
	return out
}

// KeepsAway reports whether a taint prevents pods with these tolerations from running on a
// Node.
func KeepsAway(taint corev1.Taint, tolerations []corev1.Toleration) bool {
	return taint.Effect != corev1.TaintEffectPreferNoSchedule && !passing(taint) && !tolerated(taint, append(automaticTolerations(), tolerations...))
}

// tolerated reports whether any of the tolerations matches the taint.
func tolerated(taint corev1.Taint, list []corev1.Toleration) bool {
	for _, t := range list {
		if t.Effect != "" && t.Effect != taint.Effect {
			continue
		}
		if t.Key == "" && t.Operator == corev1.TolerationOpExists {
			return true
		}
		if t.Key == taint.Key && (t.Operator == corev1.TolerationOpExists || t.Value == taint.Value) {
			return true
		}
	}
	return false
}

// automaticTolerations returns the tolerations that the DaemonSet controller adds to every pod
// with the node's own network.
func automaticTolerations() []corev1.Toleration {
	var list []corev1.Toleration
	for key, effect := range map[string]corev1.TaintEffect{
		corev1.TaintNodeNotReady:           corev1.TaintEffectNoExecute,
		corev1.TaintNodeUnreachable:        corev1.TaintEffectNoExecute,
		corev1.TaintNodeDiskPressure:       corev1.TaintEffectNoSchedule,
		corev1.TaintNodeMemoryPressure:     corev1.TaintEffectNoSchedule,
		corev1.TaintNodePIDPressure:        corev1.TaintEffectNoSchedule,
		corev1.TaintNodeUnschedulable:      corev1.TaintEffectNoSchedule,
		corev1.TaintNodeNetworkUnavailable: corev1.TaintEffectNoSchedule,
	} {
		list = append(list, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect})
	}
	return list
}
