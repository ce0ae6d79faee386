package cluster

import (
	"fmt"
	"strings"
)

// Layout is the distribution of roles over machines.
type Layout string

// The layouts.
const (
	// Combined has control plane and etcd on the same machines, and separate workers.
	Combined Layout = "combined"
	// Split has etcd, control plane and workers on separate machines.
	Split Layout = "split"
	// AllRole has every role on every machine.
	AllRole Layout = "all-role"
	// Single is one machine with every role.
	Single Layout = "single"
	// Custom is Combined with machines that registered themselves, each with its private DNS
	// name as --node-name, instead of machines from pools.
	Custom Layout = "custom"
)

// Layouts returns all layouts.
func Layouts() []Layout { return []Layout{Combined, Split, AllRole, Single, Custom} }

// Pool is a group of equal machines.
type Pool struct {
	Name         string
	ControlPlane bool
	Etcd         bool
	Worker       bool
	Quantity     int
}

// Pools returns the groups of a layout. Negative counts select the layout's own (3 and 3).
func Pools(layout Layout, controlPlanes, workers int) ([]Pool, error) {
	cp, w := controlPlanes, workers
	if cp < 0 {
		cp = 3
	}
	if w < 0 {
		w = 3
	}
	pools, servers, err := poolsOf(layout, cp)
	if err != nil {
		return nil, err
	}
	if layout == AllRole || layout == Single {
		w = max(workers, 0)
	}
	if cp < 1 {
		return nil, fmt.Errorf("%d control planes: a lab has at least one", cp)
	}
	if w > 0 {
		pools = append(pools, Pool{Name: "workers", Worker: true, Quantity: w})
	}
	if servers+w > maxMachines {
		return nil, fmt.Errorf("%d machines do not fit a lab; %d do", servers+w, maxMachines)
	}
	return pools, nil
}

func poolsOf(layout Layout, cp int) (pools []Pool, servers int, err error) {
	switch layout {
	case Combined, Custom:
		return []Pool{{Name: "cp", ControlPlane: true, Etcd: true, Quantity: cp}}, cp, nil
	case Split:
		return []Pool{
			{Name: "etcd", Etcd: true, Quantity: cp},
			{Name: "cp", ControlPlane: true, Quantity: cp},
		}, 2 * cp, nil
	case AllRole:
		return []Pool{{Name: "all", ControlPlane: true, Etcd: true, Worker: true, Quantity: cp}}, cp, nil
	case Single:
		return []Pool{{Name: "all", ControlPlane: true, Etcd: true, Worker: true, Quantity: 1}}, 1, nil
	}
	var names []string
	for _, l := range Layouts() {
		names = append(names, string(l))
	}
	return nil, 0, fmt.Errorf("layout %q is none of %s", layout, strings.Join(names, ", "))
}
