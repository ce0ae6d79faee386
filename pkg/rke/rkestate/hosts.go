package rkestate

import (
	"cmp"
	"slices"
	"strings"
)

// Host is an entry of nodes with rke's defaults: internal_address and hostname_override default
// to address, and the override is converted to lower case
// (rancher/rke:cluster/defaults.go@v1.5.9, setClusterDefaults).
type Host struct {
	Address, Internal, Override string
	Role                        []string
}

// Has reports whether the host has a role.
func (h Host) Has(role string) bool { return slices.Contains(h.Role, role) }

// Hosts returns the nodes of cluster.yml, or those of the state if Rancher keeps them and the
// file has none.
func (f Facts) Hosts() []Host {
	var out []Host
	add := func(address, internal, override string, role []string) {
		out = append(out, Host{Address: address, Internal: cmp.Or(internal, address),
			Override: strings.ToLower(cmp.Or(override, address)), Role: role})
	}
	for _, n := range f.Config.Nodes {
		add(n.Address, n.InternalAddress, n.HostnameOverride, n.Role)
	}
	if len(out) == 0 {
		for _, n := range f.State.Current.Config.Nodes {
			add(n.Address, n.InternalAddress, n.HostnameOverride, n.Role)
		}
	}
	return out
}
