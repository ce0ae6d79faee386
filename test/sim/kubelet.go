package sim

import "time"

const (
	nodeLeases = "kube-node-lease"
	// heartbeat is the interval in which a kubelet renews its Node's lease
	// (kubernetes:pkg/kubelet/kubelet.go@v1.26, a quarter of 40 s).
	heartbeat = 10 * time.Second
)

// kubeletTick renews the leases of Nodes, and ends replaced processes. A replaced process ends
// only when its kubelet reaches an API server again, and so renews.
func (w *World) kubeletTick() {
	ended := map[string]bool{}
	w.stop(func(p process) bool {
		over := !p.ends.IsZero() && !w.now.Before(p.ends)
		ended[p.node] = ended[p.node] || over
		return over
	})
	away := map[string]bool{}
	for _, p := range w.processes {
		away[p.node] = away[p.node] || !p.ends.IsZero()
	}
	for _, k := range w.down.keys("nodes", "") {
		last, _ := time.Parse(microTime, text(w.down.peek(leasesResource, nodeLeases, k.name), "spec", "renewTime"))
		if away[k.name] || !ended[k.name] && w.clockOf(k.name).Sub(last) < heartbeat {
			continue
		}
		lease := w.down.get(leasesResource, nodeLeases, k.name)
		if lease == nil {
			lease = object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{"name": k.name, "namespace": nodeLeases},
				"spec": object{"holderIdentity": k.name, "leaseDurationSeconds": int64(40)}}
		}
		mapAt(lease, "spec")["renewTime"] = w.clockOf(k.name).Format(microTime)
		w.down.put(leasesResource, lease, w.now)
	}
}
