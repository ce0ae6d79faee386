package sim

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

const (
	managedClusters = "clusters.management.cattle.io"
	managedNodes    = "nodes.management.cattle.io"
	managedID       = "c-7kq2x"
	rkeConfigKey    = "rancherKubernetesEngineConfig"

	// falseUpdatedTime is the time for which the condition Updated is True before Rancher has
	// begun. It is longer than a run's polling interval, so that each run sees it.
	falseUpdatedTime = pollInterval + tick
	// workerDelay is the time from appliedSpec to the first worker. It is longer than a run looks
	// before a step is done.
	workerDelay = 30 * tick
)

// managedPhase names Rancher's current work on the cluster.
type managedPhase string

const (
	phaseIdle    managedPhase = ""
	phaseFalse   managedPhase = "says Updated too early"
	phasePlanes  managedPhase = "runs rke on control planes"
	phaseApplied managedPhase = "has written appliedSpec"
	phaseWorkers managedPhase = "gives workers their plans"
)

// managedState is the part of Rancher that maintains an RKE cluster: the provisioner, which runs
// rke for control planes, and the upgrader of workers
// (rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go,
// rkeworkerupgrader/upgrade.go@v2.8.5). The lab's code resolves a configuration as rke does.
//
// Missing: a failing rke (failedSpec), norman's API and its defaults, RKE templates, node drivers,
// unavailable agents, drains, backups, rotation, restoring, several workers at once, a restart of
// Rancher, and rke's uncordoning of hosts without changes.
type managedState struct {
	phase    managedPhase
	since    time.Time // start of the phase or of the visit
	desired  rke.Config
	applying object   // the configuration that rke was started with
	waiting  []string // machines not visited yet
	visiting string   // the machine in progress, or empty
	settled  int64    // changes of the management server at the last time without work
}

func (r *managedState) clone() *managedState {
	c := *r
	c.waiting = slices.Clone(r.waiting)
	return &c
}

// describe returns the phase and the machines of it, for comparing worlds.
func (r *managedState) describe() string {
	return fmt.Sprintf("Rancher %s, %d waiting, visits %s", r.phase, len(r.waiting), r.visiting)
}

// NewManaged returns a cluster of three control planes and two workers that Rancher made by rke.
// It uses the in-tree provider and is at rest. The user has cordoned one worker.
func NewManaged() *World { return newManaged(managedConfig()) }

// newManaged returns the same cluster with another configuration.
func newManaged(config object) *World { return inBubble(managedID).newManaged(config) }

func (s Setup) newManaged(config object) *World {
	w := s.newWorld()
	w.running, w.managed = map[string]hostConfig{}, &managedState{}
	w.down = newServer("downstream", "v1.26.9", core)
	w.mgmt = newServer("management", "v1.28.6+k3s1", append(append([]kind{}, core...), managedKinds...))
	w.namespaces(w.down, "default", kubeSystem)
	w.namespaces(w.mgmt, "default", kubeSystem, w.id)
	w.mgmt.put("settings.management.cattle.io", object{"apiVersion": "management.cattle.io/v3", "kind": "Setting",
		"metadata": object{"name": "server-version"}, "value": "v2.8.5"}, w.now)
	for i := range 5 {
		w.addManagedNode(w.addHost(i))
	}
	applied := w.withNodes(config)
	cluster := object{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": object{"name": w.id},
		"spec":   object{"displayName": w.name, "fleetWorkspaceName": fleet, rkeConfigKey: config},
		"status": object{"driver": "rancherKubernetesEngine", "nodeVersion": int64(1), "appliedSpec": object{rkeConfigKey: applied}}}
	for _, kind := range []string{"Updated", "Upgraded", "Provisioned", "Ready"} {
		setCondition(cluster, kind, "True", "")
	}
	w.mgmt.put(managedClusters, cluster, w.now)
	w.recordManaged(resolveManaged(applied))
	w.startAll()
	return w
}

// managedConfig returns a user's configuration in Rancher: the UI fills awsCloudProvider.
func managedConfig() object {
	return object{
		"kubernetesVersion": rkeVersion,
		"services": object{"kubeController": object{"extraArgs": object{"node-monitor-period": "5s"}},
			"kubelet": object{"extraArgs": object{"max-pods": "110"}}},
		"network":       object{"plugin": "canal"},
		"ingress":       object{"provider": "none"},
		"cloudProvider": object{"name": "aws", "awsCloudProvider": object{"global": object{"disable-strict-zone-check": true}}},
	}
}

// addManagedNode adds Rancher's Node of a machine, whose agent has applied its plan.
func (w *World) addManagedNode(m machine) {
	roles := []any{}
	for _, role := range m.roles() {
		roles = append(roles, role)
	}
	w.mgmt.put(managedNodes, object{"apiVersion": "management.cattle.io/v3", "kind": "Node",
		"metadata": object{"name": "m-" + m.name, "namespace": w.id}, "spec": object{"requestedHostname": m.node},
		"status": object{"nodeName": m.node, "appliedNodeVersion": int64(1), "nodePlan": object{"version": int64(1), "plan": kubeletPlan(w.running[m.name])},
			"rkeNode": object{"nodeName": w.id + ":m-" + m.name, "address": m.ip, "hostnameOverride": m.node, "user": "root", "role": roles}}}, w.now)
}

// kubeletPlan returns the part of a machine's plan that depends on the provider.
func kubeletPlan(c hostConfig) object {
	return object{"processes": object{"kubelet": object{"name": "kubelet", "command": []any{"/opt/rke-tools/entrypoint.sh", "kubelet", "--cloud-provider=" + c.provider}}}}
}

// withNodes returns a configuration with the machines, which Rancher stores elsewhere.
func (w *World) withNodes(config object) object {
	full, nodes := runtime.DeepCopyJSON(config), []any{}
	for _, k := range w.mgmt.keys(managedNodes, w.id) {
		nodes = append(nodes, at(w.mgmt.get(managedNodes, w.id, k.name), "status", "rkeNode"))
	}
	full["nodes"] = nodes
	return full
}

// resolveManaged returns a configuration with rke's defaults.
func resolveManaged(full object) rke.Config {
	var config rke.Config
	if err := json.Unmarshal(must(json.Marshal(full)), &config); err != nil {
		panic(err)
	}
	cluster, err := rkeRelease.Resolve(config)
	if err != nil {
		panic(err)
	}
	return cluster.Config
}

// recordManaged writes rke's state into the cluster; Rancher stores no other.
func (w *World) recordManaged(config rke.Config) {
	state := rke.State{Config: &config}
	w.saveState(must(json.Marshal(rke.FullState{Desired: state, Current: state})))
}

// stateText returns rke's state as its next run finds it.
func (w *World) stateText() string {
	if w.rke != nil {
		return string(w.rke.stateText())
	}
	return text(w.down.peek("secrets", kubeSystem, stateSecret), "data", stateSecret)
}

// managedTick runs Rancher's controllers for one second. rke cannot be interrupted, so an edit
// starts only after the previous rke has ended.
func (w *World) managedTick() {
	r := w.managed
	if r.phase == phaseIdle && r.settled == w.mgmt.changes {
		return
	}
	switch r.phase {
	case phaseIdle:
		w.startApply()
	case phaseFalse:
		if w.now.Sub(r.since) >= falseUpdatedTime {
			w.runRKE()
		}
	case phasePlanes:
		if !w.visitNext(w.leavePlane) {
			w.planesDone()
		}
	case phaseApplied:
		if w.now.Sub(r.since) >= workerDelay && !w.startApply() {
			w.beginWorkers()
		}
	case phaseWorkers:
		if r.visiting == "" && w.startApply() {
			return // workers wait while Updated is Unknown
		}
		if !w.visitNext(w.leaveWorker) {
			w.changeCluster(func(c object) { setCondition(c, "Upgraded", "True", "") })
			w.enter(phaseIdle)
		}
	}
}

// enter begins a phase.
func (w *World) enter(phase managedPhase) {
	w.managed.phase, w.managed.since = phase, w.now
	w.managed.settled = 0
	w.down.changes++ // a run now continues from another state
}

func (w *World) changeCluster(change func(object)) {
	cluster := w.mgmt.get(managedClusters, "", w.id)
	change(cluster)
	w.mgmt.put(managedClusters, cluster, w.now)
}

// startApply starts to apply the configuration, if it differs from appliedSpec, and reports
// whether it did. The first True of the condition Updated means nothing.
func (w *World) startApply() bool {
	cluster := w.mgmt.peek(managedClusters, "", w.id)
	if reflect.DeepEqual(at(cluster, "status", "appliedSpec", rkeConfigKey), any(w.withNodes(mapAt(cluster, "spec", rkeConfigKey)))) {
		w.managed.settled = w.mgmt.changes
		return false
	}
	w.changeCluster(func(c object) { setCondition(c, "Updated", "True", "") })
	w.enter(phaseFalse)
	return true
}

// runRKE starts rke with the current configuration.
func (w *World) runRKE() {
	r := w.managed
	w.changeCluster(func(c object) {
		setCondition(c, "Updated", "Unknown", "")
		r.applying = w.withNodes(mapAt(c, "spec", rkeConfigKey))
	})
	r.desired, r.waiting = resolveManaged(r.applying), nil
	for _, m := range w.machines {
		if m.controlPlane && w.running[m.name] != wantedConfig(r.desired, m) {
			r.waiting = append(r.waiting, m.name)
		}
	}
	w.enter(phasePlanes)
}

// visitNext continues with the current machine or starts the next one, and reports whether any is
// left.
func (w *World) visitNext(leave func(machine)) bool {
	r := w.managed
	switch {
	case r.visiting != "" && w.now.Sub(r.since) >= hostIsBack:
		leave(*w.machineNamed(r.visiting))
		r.visiting, r.since = "", w.now
	case r.visiting == "" && len(r.waiting) == 0:
		return false
	case r.visiting == "" && w.now.Sub(r.since) >= hostRestarts:
		r.visiting, r.waiting, r.since = r.waiting[0], r.waiting[1:], w.now
		m := *w.machineNamed(r.visiting)
		w.visit(m)
		if !m.controlPlane {
			w.givePlan(m)
		}
	}
	return true
}

func (w *World) leavePlane(m machine) { w.leave(m, wantedConfig(w.managed.desired, m)) }

// planesDone marks everything as applied, before the state of the workers is known.
func (w *World) planesDone() {
	w.recordManaged(w.managed.desired)
	w.changeCluster(func(c object) {
		mapAt(c, "status", "appliedSpec")[rkeConfigKey] = w.managed.applying
		setCondition(c, "Updated", "True", "")
	})
	w.enter(phaseApplied)
}

// beginWorkers compares the workers' plans with the applied configuration, and increments the
// version of those that differ.
func (w *World) beginWorkers() {
	r := w.managed
	r.waiting = nil
	for _, m := range w.machines {
		if !m.controlPlane && !reflect.DeepEqual(at(w.managedNode(m), "status", "nodePlan", "plan"), any(kubeletPlan(wantedConfig(r.desired, m)))) {
			r.waiting = append(r.waiting, m.name)
		}
	}
	if len(r.waiting) == 0 && !w.isUpgrading() {
		w.enter(phaseIdle)
		return
	}
	w.changeCluster(func(c object) {
		setCondition(c, "Upgraded", "Unknown", "updating worker nodes")
		mapAt(c, "status")["nodeVersion"] = number(c, "status", "nodeVersion") + 1
	})
	w.enter(phaseWorkers)
}

// isUpgrading reports whether an upgrade of workers has begun and has not ended.
func (w *World) isUpgrading() bool {
	for _, one := range list(w.mgmt.peek(managedClusters, "", w.id), "status", "conditions") {
		if c := one.(object); c["type"] == "Upgraded" {
			return c["status"] == "Unknown"
		}
	}
	return false
}

func (w *World) managedNode(m machine) object {
	return w.mgmt.get(managedNodes, w.id, "m-"+m.name)
}

// givePlan writes the new plan of a worker for its agent.
func (w *World) givePlan(m machine) {
	node := w.managedNode(m)
	mapAt(node, "status")["nodePlan"] = object{"version": number(w.mgmt.peek(managedClusters, "", w.id), "status", "nodeVersion"), "plan": kubeletPlan(wantedConfig(w.managed.desired, m))}
	w.mgmt.put(managedNodes, node, w.now)
}

// leaveWorker ends a worker's upgrade: its agent reports the applied plan.
func (w *World) leaveWorker(m machine) {
	w.leave(m, wantedConfig(w.managed.desired, m))
	node := w.managedNode(m)
	mapAt(node, "status")["appliedNodeVersion"] = number(node, "status", "nodePlan", "version")
	w.mgmt.put(managedNodes, node, w.now)
}
