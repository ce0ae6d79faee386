package sim

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// tick is the time resolution of the model.
const tick = time.Second

// World is a cluster to migrate with its managers, at one moment.
type World struct {
	mu    sync.Mutex
	now   time.Time
	clock func() time.Time
	name  string // in Rancher
	id    string // Rancher's, c-m-xxxxxxxx or c-xxxxx

	down, mgmt *server // mgmt is nil if only rke manages the cluster

	machines  []machine
	processes []process
	written   map[string]written // by the name of a lease
	ccmFails  bool               // a leading cloud controller manager ends within a second
	started   int                // number of started processes
	// outlive is the time for which a kube-controller-manager outlives the start of its
	// replacement, while its machine's kubelet reaches no API server.
	outlive  time.Duration
	apart    map[string]time.Duration // error of a Node's clock
	restarts map[string]int
	sets     setState
	rancher  *rancherState // nil except for RKE2
	rke      *rkeState     // nil except for RKE with cluster.yml
	managed  *managedState // nil except for RKE managed by Rancher
	// running holds the configuration of each machine's containers; nil for RKE2.
	running map[string]hostConfig
	monitor monitor
}

// machine is one host of the cluster.
type machine struct {
	name, uid, node, ip string
	controlPlane        bool
	labels              map[string]string
	// config is the configuration at the last start of its RKE2; nil for RKE.
	config map[string]any
}

// clone returns an independent copy of the world. w.mu is held, as it is in the hooks of a
// Process.
func (w *World) clone() *World {
	c := &World{now: w.now, clock: w.clock, name: w.name, id: w.id, down: w.down.clone(), started: w.started, outlive: w.outlive, apart: w.apart, restarts: maps.Clone(w.restarts), running: maps.Clone(w.running),
		machines: slices.Clone(w.machines), processes: slices.Clone(w.processes), written: maps.Clone(w.written), ccmFails: w.ccmFails, sets: w.sets.clone(), monitor: w.monitor.clone()}
	if w.mgmt != nil {
		c.mgmt = w.mgmt.clone()
	}
	if w.rancher != nil {
		r := *w.rancher
		c.rancher = &r
	}
	if w.rke != nil {
		c.rke = w.rke.clone()
	}
	if w.managed != nil {
		c.managed = w.managed.clone()
	}
	return c
}

// Now returns the world's time.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// clockOf returns the time of day on a machine, by the name of its Node.
func (w *World) clockOf(node string) time.Time { return w.now.Add(w.apart[node]).UTC() }

// changes grows with every event except renewals of leases.
func (w *World) changes() int64 {
	n := w.down.changes
	if w.mgmt != nil {
		n += w.mgmt.changes
	}
	return n
}

// advance applies all events that are due by now. w.mu is held.
func (w *World) advance(now time.Time) {
	for !w.now.Add(tick).After(now) {
		w.now = w.now.Add(tick)
		if w.rancher != nil {
			w.rancherTick()
		}
		if w.rke != nil {
			w.rkeTick()
		}
		if w.managed != nil {
			w.managedTick()
		}
		w.kubeletTick()
		w.setTick()
		w.leaseTick()
		w.monitor.look(w)
	}
}
