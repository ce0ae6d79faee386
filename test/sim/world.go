package sim

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// tick is the grain of the model's time.
const tick = time.Second

// World is a cluster to migrate, with what manages it, at one moment.
type World struct {
	mu  sync.Mutex
	now time.Time

	down, mgmt *server // mgmt is nil where nothing but rke manages the cluster

	machines  []machine
	processes []process
	written   map[string]written // by the name of a lease
	ccmFails  bool               // a cloud controller manager that leads ends within a second
	started   int                // processes ever started
	// outlive is how long a kube-controller-manager goes on running after the start of
	// the one that replaces it, while its machine's kubelet reaches no API server.
	outlive  time.Duration
	apart    map[string]time.Duration // how far a Node's clock is off
	restarts map[string]int
	sets     setState
	rancher  *rancherState // nil unless RKE2
	rke      *rkeState     // nil unless RKE with cluster.yml
	managed  *managedState // nil unless RKE that Rancher manages
	// running holds the configuration of each machine's containers; nil for RKE2.
	running map[string]hostConfig
	monitor monitor
}

// machine is one host of the cluster.
type machine struct {
	name, uid, node, ip string
	controlPlane        bool
	labels              map[string]string
	// config is what its RKE2 was last started with; nil for RKE.
	config map[string]any
}

// clone copies the world as it is; nothing is shared that can change.
// w.mu is held, as it is in the hooks of a Process.
func (w *World) clone() *World {
	c := &World{now: w.now, down: w.down.clone(), started: w.started, outlive: w.outlive, apart: w.apart, restarts: maps.Clone(w.restarts), running: maps.Clone(w.running),
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

// Now is the world's time.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// clockOf is the time of day on a machine, by the name of its Node.
func (w *World) clockOf(node string) time.Time { return w.now.Add(w.apart[node]).UTC() }

// changes moves with everything that happens but renewals of leases.
func (w *World) changes() int64 {
	n := w.down.changes
	if w.mgmt != nil {
		n += w.mgmt.changes
	}
	return n
}

// advance lets everything happen that is due by now. w.mu is held.
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
