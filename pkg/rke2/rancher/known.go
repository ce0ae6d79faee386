package rancher

import (
	"maps"
	"sync"
	"time"
)

// maxKnownAge bounds how long a run goes without a current list of Machines.
const maxKnownAge = 30 * time.Second

// Known is the last current list of Machines of one cluster. A run that waits reads every second,
// and most times nothing has changed. The management server's cache shows whether it has: if the
// Cluster, its RKEControlPlane (both read currently) and every Machine in the cache have the
// versions of the last current list, that list still holds. Otherwise the Machines are listed
// again. A nil Known always lists.
type Known struct {
	mu   sync.Mutex
	of   parents
	at   time.Time
	list machineList
}

// parents are the versions of a Cluster and its RKEControlPlane.
type parents struct{ cluster, controlPlane string }

// machineList is a list of Machines, and their versions by UID.
type machineList struct {
	machines []Machine
	versions map[string]string
}

// machines returns the Machines of the cluster whose parents were just read. A look takes them
// from the cache.
func (k *Known) machines(of parents, now time.Time, look bool, list func(fromCache bool) (machineList, error)) ([]Machine, error) {
	if look || k == nil {
		all, err := list(look)
		return all.machines, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == of && now.Sub(k.at) < maxKnownAge {
		if cached, err := list(true); err == nil && maps.Equal(cached.versions, k.list.versions) {
			return cached.machines, nil
		}
	}
	current, err := list(false)
	if err != nil {
		return nil, err
	}
	k.of, k.at, k.list = of, now, current
	return current.machines, nil
}
