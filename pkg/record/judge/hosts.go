package judge

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// hosts finds the Node of a host name. It keeps deleted Nodes and machines: a process may outlive
// them.
type hosts struct {
	nodes    map[string]record.Node
	machines map[string]record.Machine
	found    map[string]string // by host; cleared when a Node or a machine is added
}

func newHosts() *hosts {
	return &hosts{nodes: map[string]record.Node{}, machines: map[string]record.Machine{}}
}

func (h *hosts) node(n record.Node)       { h.nodes[n.Name], h.found = n, nil }
func (h *hosts) machine(m record.Machine) { h.machines[m.Name], h.found = m, nil }

// of returns the Node of a host, or "" if none or several match. Without Nodes, the host name
// counts as the Node's name.
func (h *hosts) of(host string) string {
	if len(h.nodes) == 0 {
		return host
	}
	if h.found == nil {
		h.found = map[string]string{}
	}
	node, known := h.found[host]
	if !known {
		node = h.find(host)
		h.found[host] = node
	}
	return node
}

// find compares a host with the names of each Node, with those of its machine (Rancher names the
// host after the infrastructure object), and with the first label of the Node's names.
func (h *hosts) find(host string) string {
	var fits, alike []string
	for _, n := range h.nodes {
		names := []string{n.Name, n.Hostname}
		for _, a := range n.Addresses {
			if a.Type == "Hostname" || a.Type == "InternalDNS" {
				names = append(names, a.Address)
			}
		}
		switch {
		case slices.Contains(names, host) || lease.NamedBy(host, n.Machine):
			fits = append(fits, n.Name)
		case slices.ContainsFunc(names, func(name string) bool { return name != "" && firstLabel(name) == firstLabel(host) }):
			alike = append(alike, n.Name)
		}
	}
	for _, m := range h.machines {
		if !lease.NamedBy(host, m.Infrastructure) {
			continue
		}
		for _, n := range h.nodes {
			if n.Name == m.Node || m.Name != "" && n.Machine == m.Name {
				fits = append(fits, n.Name)
			}
		}
	}
	if len(fits) == 0 {
		fits = alike
	}
	slices.Sort(fits)
	if fits = slices.Compact(fits); len(fits) == 1 {
		return fits[0]
	}
	return ""
}

func firstLabel(host string) string {
	first, _, _ := strings.Cut(host, ".")
	return first
}
