package sim

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	clusterName = "demo"
	rke2Version = "v1.26.13+rke2r1"
)

// epoch is the time at which a synctest bubble begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// NewRKE2 returns a cluster of three control planes and two workers that Rancher provisioned. It
// uses the in-tree provider and is at rest. The user has cordoned one worker.
func NewRKE2() *World {
	return rancher28.newRKE2(defaultConfig())
}

func defaultConfig() object {
	return object{"cni": "calico", "kube-controller-manager-arg": []any{"node-monitor-period=5s"}}
}

// newRKE2 returns the same cluster with another machineGlobalConfig.
func newRKE2(global object) *World { return rancher28.newRKE2(global) }

func (r rancherRelease) newRKE2(global object) *World {
	return inBubble("c-m-abcdefgh").newRKE2(r, global)
}

func (s Setup) newRKE2(r rancherRelease, global object) *World {
	w := s.newWorld()
	w.rancher = &rancherState{rancherRelease: r}
	w.down = newServer("downstream", rke2Version, append(append([]kind{}, core...), helmKinds...))
	w.mgmt = newServer("management", "v1.28.6+k3s1", append(append([]kind{}, core...), rancherKinds(r)...))
	w.namespaces(w.down, "default", kubeSystem)
	w.namespaces(w.mgmt, "default", kubeSystem, fleet)
	w.mgmt.put("settings.management.cattle.io", object{"apiVersion": "management.cattle.io/v3", "kind": "Setting",
		"metadata": object{"name": "server-version"}, "value": r.version}, w.now)
	w.mgmt.put("clusters.cluster.x-k8s.io", object{"apiVersion": "cluster.x-k8s.io/" + r.capi, "kind": "Cluster",
		"metadata": object{"name": w.name, "namespace": fleet}, "spec": object{}}, w.now)
	config := object{
		"machineGlobalConfig":   global,
		"machineSelectorConfig": []any{object{"config": object{"cloud-provider-name": "aws", "protect-kernel-defaults": false}}},
		"upgradeStrategy":       object{"controlPlaneConcurrency": "1", "workerConcurrency": "1"},
		"machinePools": []any{
			object{"name": "cp", "quantity": int64(3), "controlPlaneRole": true, "etcdRole": true},
			object{"name": "workers", "quantity": int64(2), "workerRole": true}},
	}
	if s.Manifest != "" {
		config["additionalManifest"] = s.Manifest
	}
	cluster := w.mgmt.put(provClusters, object{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": object{"name": w.name, "namespace": fleet},
		"spec":     object{"kubernetesVersion": rke2Version, "rkeConfig": config},
		"status":   object{"clusterName": w.id, "observedGeneration": int64(1), "ready": true}}, w.now)
	spec := planeSpec(cluster)
	plane := object{"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane", "metadata": object{"name": w.name, "namespace": fleet},
		"spec": spec, "status": object{"appliedSpec": plain(spec), "observedGeneration": int64(1)}}
	setCondition(plane, "Ready", "True", "")
	setCondition(plane, "Reconciled", "True", "")
	w.mgmt.put(controlPlanes, plane, w.now)
	for i := range 5 {
		w.addMachine(i, i < 3, spec)
	}
	if r.beacons {
		w.putBeacon("")
	}
	w.startAll()
	return w
}

func (w *World) namespaces(s *server, names ...string) {
	for _, name := range names {
		s.put("namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}, "status": object{"phase": "Active"}}, w.now)
	}
}

// addMachine adds the i-th machine to the pool of its role.
func (w *World) addMachine(i int, controlPlane bool, spec object) {
	m := machine{name: fmt.Sprintf("%s-%d", w.name, i), ip: fmt.Sprintf("10.0.%d.%d", i%3+1, 10+i), controlPlane: controlPlane}
	m.node = fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i%3+1, 10+i)
	pool := "workers"
	m.labels = map[string]string{"cluster.x-k8s.io/cluster-name": w.name, "rke.cattle.io/cluster-name": w.name, "cattle.io/os": "linux"}
	if m.controlPlane {
		pool = "cp"
		m.labels["rke.cattle.io/control-plane-role"], m.labels["rke.cattle.io/etcd-role"] = "true", "true"
	} else {
		m.labels["rke.cattle.io/worker-role"] = "true"
	}
	m.labels["rke.cattle.io/rke-machine-pool-name"] = pool
	m.config = mergeConfig(spec, m)
	o := w.rancher.newMachine(m)
	w.rancher.setMachineCondition(o, "PlanApplied", "True", "")
	w.rancher.setMachineCondition(o, "Reconciled", "True", "")
	m.uid = text(w.mgmt.put(machinesRes, o, w.now), "metadata", "uid")
	node := newNode(m, "eu-west-1"+string(rune('a'+i%3)), rke2Version, w.now)
	labels := mapAt(node, "metadata", "labels")
	if m.controlPlane {
		for _, role := range []string{"control-plane", "master", "etcd"} {
			labels["node-role.kubernetes.io/"+role] = "true"
		}
		mapAt(node, "spec")["taints"] = []any{object{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"},
			object{"key": "node-role.kubernetes.io/etcd", "effect": "NoExecute"}}
	} else {
		labels["node-role.kubernetes.io/worker"] = "true"
	}
	if i == 4 {
		mapAt(node, "spec")["unschedulable"] = true
	}
	args := string(must(json.Marshal(nodeArgs(m))))
	annotations := mapAt(node, "metadata", "annotations")
	annotations["rke2.io/node-args"], annotations["rke2.io/node-config-hash"] = args, shorten(args)
	annotations["rke2.io/hostname"], annotations["rke2.io/internal-ip"] = m.node, m.ip
	w.down.put("nodes", node, w.now)
	w.machines = append(w.machines, m)
	w.syncStaticPod(m)
}

// startAll adds the common parts of all clusters, and lets a minute pass.
func (w *World) startAll() {
	w.down.put("services", object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "front", "namespace": "default"},
		"spec":   object{"type": "LoadBalancer", "ports": []any{object{"port": int64(80)}}},
		"status": object{"loadBalancer": object{"ingress": []any{object{"hostname": "a1-1.eu-west-1.elb.amazonaws.com"}}}}}, w.now)
	const group = "rbac.authorization.k8s.io/v1"
	// The bootstrap role lets kube-controller-manager create any lease but use only its main one
	// (kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy@v1.26).
	w.down.put("clusterroles.rbac.authorization.k8s.io", object{"apiVersion": group, "kind": "ClusterRole", "metadata": object{"name": kcmUser},
		"rules": []any{object{"apiGroups": []any{"coordination.k8s.io"}, "resources": []any{"leases"}, "verbs": []any{"create"}},
			object{"apiGroups": []any{"coordination.k8s.io"}, "resources": []any{"leases"}, "resourceNames": []any{kcmMain}, "verbs": []any{"get", "update"}}}}, w.now)
	w.down.put("clusterrolebindings.rbac.authorization.k8s.io", object{"apiVersion": group, "kind": "ClusterRoleBinding", "metadata": object{"name": kcmUser},
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": kcmUser},
		"subjects": []any{object{"kind": "User", "name": kcmUser, "apiGroup": "rbac.authorization.k8s.io"}}}, w.now)
	w.advance(w.now.Add(time.Minute))
	w.monitor.begin(w)
}
