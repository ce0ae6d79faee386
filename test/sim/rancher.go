package sim

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	provClusters  = "clusters.provisioning.cattle.io"
	controlPlanes = "rkecontrolplanes.rke.cattle.io"
	machinesRes   = "machines.cluster.x-k8s.io"
	fleet         = "fleet-default"

	paused = "cluster.x-k8s.io/paused"

	// Durations of a machine's work on a plan, from Rancher's first contact.
	serviceRestarts = 2 * time.Second
	podsAreBack     = 5 * time.Second
	planIsApplied   = 8 * time.Second
	snapshotTakes   = 5 * time.Second
)

// rancherState is the memory of Rancher's planner, besides its objects.
type rancherState struct {
	rancherRelease

	rolling string    // name of the current machine, or empty
	since   time.Time // start of the work on the current machine
	phase   int       // 0: has its plan; 1: restarted; 2: its pods are back
	stuck   bool      // the current machine does not continue

	snapshot time.Time // start of an etcd snapshot, or zero
	deployed string    // the current additionalManifest
	settled  int64     // changes of the management server at the last time without work
}

// rancherTick runs Rancher's controllers once: the asynchronous copy of the Cluster's
// configuration, etcd snapshots, then plans. Control planes precede workers, one machine at a time
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5).
func (w *World) rancherTick() {
	if w.mgmt.changes == w.rancher.settled {
		return
	}
	cluster, plane := w.mgmt.get(provClusters, fleet, w.name), w.mgmt.get(controlPlanes, fleet, w.name)
	spec := planeSpec(cluster)
	if !reflect.DeepEqual(plane["spec"], any(spec)) {
		plane["spec"] = spec
		setCondition(plane, "Reconciled", "Unknown", "waiting")
		setCondition(plane, "Ready", "Unknown", "waiting")
		w.mgmt.put(controlPlanes, plane, w.now)
		mapAt(cluster, "status")["observedGeneration"] = number(cluster, "metadata", "generation")
		w.mgmt.put(provClusters, cluster, w.now)
		return
	}
	if !w.acquireBeacon() || text(plane, "metadata", "annotations", paused) == "true" {
		w.advanceMachine(plane) // a machine with a plan applies it, even if Rancher is paused
		return
	}
	switch {
	case w.snapshotTick(plane), w.advanceMachine(plane), w.startNextMachine(plane):
		return
	}
	status := mapAt(plane, "status")
	status["appliedSpec"], status["observedGeneration"] = runtime.DeepCopyJSON(spec), number(plane, "metadata", "generation")
	setCondition(plane, "Reconciled", "True", "")
	setCondition(plane, "Ready", "True", "")
	w.mgmt.put(controlPlanes, plane, w.now)
	w.deploy(text(spec, "additionalManifest"))
	w.releaseBeacon()
	w.rancher.settled = w.mgmt.changes
}

// planeSpec returns the copy of a Cluster's configuration in its RKEControlPlane.
func planeSpec(cluster object) object {
	spec := runtime.DeepCopyJSON(mapAt(cluster, "spec", "rkeConfig"))
	delete(spec, "machinePools")
	spec["kubernetesVersion"], spec["clusterName"] = at(cluster, "spec", "kubernetesVersion"), text(cluster, "metadata", "name")
	return spec
}

func (w *World) snapshotTick(plane object) bool {
	status := mapAt(plane, "status")
	asked := number(plane, "spec", "etcdSnapshotCreate", "generation")
	if number(status, "etcdSnapshotCreate", "generation") == asked && text(status, "etcdSnapshotCreatePhase") != "Started" {
		return false
	}
	switch {
	case text(status, "etcdSnapshotCreatePhase") != "Started":
		w.rancher.snapshot = w.now
		status["etcdSnapshotCreate"], status["etcdSnapshotCreatePhase"] = object{"generation": asked}, "Started"
		setCondition(plane, "Reconciled", "Unknown", "creating etcd snapshot")
	case w.now.Sub(w.rancher.snapshot) >= snapshotTakes:
		status["etcdSnapshotCreatePhase"] = "Finished"
	default:
		return true
	}
	w.mgmt.put(controlPlanes, plane, w.now)
	return true
}

// startNextMachine gives the next machine with a changed configuration its plan.
func (w *World) startNextMachine(plane object) bool {
	for _, tier := range []bool{true, false} {
		for _, m := range w.machines {
			if m.controlPlane != tier || reflect.DeepEqual(m.config, mergeConfig(mapAt(plane, "spec"), m)) {
				continue
			}
			w.rancher.rolling, w.rancher.since, w.rancher.phase = m.name, w.now, 0
			w.markMachine(m.name, "Unknown", "waiting for plan to be applied")
			setCondition(plane, "Reconciled", "Unknown", "configuring "+m.name)
			setCondition(plane, "Ready", "Unknown", "configuring "+m.name)
			w.mgmt.put(controlPlanes, plane, w.now)
			return true
		}
	}
	return false
}

// advanceMachine continues with the current machine: its service restarts with the new
// configuration, then its static pods, then it reports.
func (w *World) advanceMachine(plane object) bool {
	if w.rancher.stuck && w.rancher.rolling != "" {
		return true
	}
	r := w.rancher
	if r.rolling == "" {
		return false
	}
	i := slices.IndexFunc(w.machines, func(m machine) bool { return m.name == r.rolling })
	age := w.now.Sub(r.since)
	switch {
	case r.phase == 0 && age >= serviceRestarts:
		r.phase = 1
		w.machines[i].config = mergeConfig(mapAt(plane, "spec"), w.machines[i])
		w.restartService(w.machines[i])
	case r.phase == 1 && age >= podsAreBack:
		r.phase = 2
		w.setNodeReady(w.machines[i].node, true)
		w.syncStaticPod(w.machines[i])
	case r.phase == 2 && age >= planIsApplied:
		w.markMachine(r.rolling, "True", "")
		r.rolling = ""
	}
	return true
}

// mergeConfig returns the effective configuration of a machine: the global keys, then each
// matching entry in order, which replaces whole keys
// (rancher/rancher:pkg/capr/planner/config.go@v2.8.5).
func mergeConfig(spec object, m machine) map[string]any {
	out := map[string]any{}
	maps.Copy(out, mapAt(spec, "machineGlobalConfig"))
	for _, one := range list(spec, "machineSelectorConfig") {
		entry := one.(object)
		if s, ok := entry["machineLabelSelector"].(object); ok && s != nil {
			var selector metav1.LabelSelector
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(s, &selector); err != nil {
				panic(err)
			}
			by, err := metav1.LabelSelectorAsSelector(&selector)
			if err != nil || !by.Matches(labels.Set(m.labels)) {
				continue
			}
		}
		maps.Copy(out, mapAt(entry, "config"))
	}
	if !m.controlPlane { // an agent gets no keys of servers
		for _, k := range []string{"kube-controller-manager-arg", "kube-apiserver-arg", "kube-scheduler-arg", "disable-cloud-controller", "cni"} {
			delete(out, k)
		}
	} else if manifest := text(spec, "additionalManifest"); manifest != "" {
		out["/additionalManifest"] = manifest // a file of the plan, not an argument
	}
	return runtime.DeepCopyJSON(out)
}

func (w *World) markMachine(name, status, message string) {
	m := w.mgmt.get(machinesRes, fleet, name)
	w.rancher.setMachineCondition(m, "PlanApplied", status, message)
	w.rancher.setMachineCondition(m, "Reconciled", status, message)
	w.mgmt.put(machinesRes, m, w.now)
}

func setCondition(o object, kind, status, message string) {
	setConditionIn(mapAt(o, "status"), kind, status, message)
}

func setConditionIn(place object, kind, status, message string) {
	next := object{"type": kind, "status": status}
	if message != "" {
		next["message"] = message
	}
	all := list(place, "conditions")
	i := slices.IndexFunc(all, func(v any) bool { return v.(object)["type"] == kind })
	if i < 0 {
		all = append(all, next)
	} else {
		all[i] = next
	}
	place["conditions"] = all
}

// nodeArgs returns a service's arguments as it writes them on its Node.
func nodeArgs(m machine) []string {
	words := []string{"agent"}
	if m.controlPlane {
		words[0] = "server"
	}
	for _, key := range sortedKeys(m.config) {
		if strings.HasPrefix(key, "/") {
			continue
		}
		switch v := m.config[key].(type) {
		case []any:
			for _, one := range v {
				words = append(words, "--"+key, fmt.Sprint(one))
			}
		default:
			words = append(words, "--"+key, fmt.Sprint(v))
		}
	}
	return words
}
