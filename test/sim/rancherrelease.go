package sim

const (
	beacons = "beacons.plan.cattle.io"
	// planner is the owner of a Beacon during a rollout
	// (rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.15.0).
	planner = "planner"
)

// rancherRelease is the part of a Rancher release in which the model differs.
type rancherRelease struct {
	version string // of Rancher
	capi    string // the only served version of Cluster API
	beacons bool   // Beacons decide who may write the plans of machines
}

// Releases of the model. The real Rancher 2.14 and 2.15 also serve v1beta1.
var (
	rancher28  = rancherRelease{"v2.8.5", "v1beta1", false}
	rancher214 = rancherRelease{"v2.14.4", "v1beta2", false}
	rancher215 = rancherRelease{"v2.15.0", "v1beta2", true}
)

// newMachine returns the Machine of m, without conditions.
func (r rancherRelease) newMachine(m machine) object {
	o := object{"apiVersion": "cluster.x-k8s.io/" + r.capi, "kind": "Machine", "metadata": object{"name": m.name, "namespace": fleet, "labels": plain(m.labels)},
		"spec": object{"clusterName": m.labels["cluster.x-k8s.io/cluster-name"]}, "status": object{"nodeRef": object{"name": m.node, "kind": "Node"}, "phase": "Running"}}
	if r.capi != "v1beta1" {
		mapAt(o, "spec")["infrastructureRef"] = object{"apiGroup": "rke-machine.cattle.io", "kind": "Amazonec2Machine", "name": m.name}
		mapAt(o, "status")["nodeRef"] = object{"name": m.node}
		setCondition(o, "Deleting", "False", "")
		setCondition(o, "Updating", "False", "")
	}
	return o
}

// setMachineCondition sets a condition where the release keeps it: in the deprecated place from
// v1beta2 on, in both from Rancher 2.15 on (rancher/rancher:pkg/capr/common.go@v2.15.0).
func (r rancherRelease) setMachineCondition(o object, kind, status, message string) {
	if r.capi == "v1beta1" || r.beacons {
		setCondition(o, kind, status, message)
	}
	if r.capi != "v1beta1" {
		setConditionIn(mapAt(o, "status", "deprecated", "v1beta1"), kind, status, message)
	}
}

// acquireBeacon makes the planner the owner of the Beacon. It returns false if the Beacon is absent
// or another operation holds it: the planner then does nothing, and sets no condition.
func (w *World) acquireBeacon() bool {
	if !w.rancher.beacons {
		return true
	}
	beacon := w.mgmt.get(beacons, fleet, w.name)
	switch owner := text(beacon, "status", "owner"); {
	case beacon == nil, owner != "" && owner != planner:
		return false
	case owner == "":
		w.putBeacon(planner)
	}
	return true
}

// releaseBeacon ends a pass of the planner that left no work.
func (w *World) releaseBeacon() {
	if w.rancher.beacons {
		w.putBeacon("")
	}
}

// putBeacon creates or changes the Beacon. Operations acquire it from an empty owner alone.
func (w *World) putBeacon(owner string) {
	w.mgmt.put(beacons, object{"apiVersion": "plan.cattle.io/v1alpha1", "kind": "Beacon", "metadata": object{"namespace": fleet, "name": w.name},
		"status": object{"active": owner != "", "owner": owner}}, w.now)
}
