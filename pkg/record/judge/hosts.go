package judge

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// hosts is what is known of host names. A Node and a machine that are gone stay: a process
// may outlive them.
//
// The name of the etcd member, which RKE2 writes into an annotation of the Node, is no
// evidence: from k3s-io/k3s#4025 on (1.21.6, 1.22.3) it begins with the Node's name, and an
// older one with what the host was called when the member was made.
type hosts struct {
	nodes    map[string]record.Node
	machines map[string]record.Machine
}

func newHosts() hosts {
	return hosts{nodes: map[string]record.Node{}, machines: map[string]record.Machine{}}
}

// node is the Node of a host name: by one of the Node's names, by that of its machine, else
// by the first label of a name. It is "" where that fits none, or more than one.
//
// The annotation of Cluster API names the Machine. From v1.7 on that is the infrastructure
// object's name as well, of which Rancher makes the host's
// (kubernetes-sigs/cluster-api#9833); where it is older no host has it.
func (h hosts) node(host string) string {
	if len(h.nodes) == 0 {
		return host // Nodes may not be read: their names are host names more often than not
	}
	fits := h.having(func(n record.Node) bool { return slices.Contains(namesOf(n), host) || lease.NamedBy(host, n.Machine) })
	for _, m := range h.machines {
		if lease.NamedBy(host, m.Infrastructure) {
			fits = append(fits, h.nodesOf(m)...)
		}
	}
	if len(fits) == 0 {
		fits = h.having(func(n record.Node) bool {
			return slices.ContainsFunc(namesOf(n), func(name string) bool { return label(name) == label(host) })
		})
	}
	slices.Sort(fits)
	if fits = slices.Compact(fits); len(fits) == 1 {
		return fits[0]
	}
	return ""
}

// having are the Nodes that fit.
func (h hosts) having(fits func(record.Node) bool) []string {
	var found []string
	for _, n := range h.nodes {
		if fits(n) {
			found = append(found, n.Name)
		}
	}
	return found
}

// nodesOf are the Nodes that a machine is said to be: by its own status, and by the Node's
// annotation. More than one is a contradiction.
func (h hosts) nodesOf(m record.Machine) []string {
	var found []string
	if m.Node != "" {
		found = append(found, m.Node)
	}
	for _, n := range h.nodes {
		if m.Name != "" && n.Machine == m.Name {
			found = append(found, n.Name)
		}
	}
	return found
}

// namesOf are the names of a Node that its host may have, too.
func namesOf(n record.Node) []string {
	names := []string{n.Name}
	if n.Hostname != "" {
		names = append(names, n.Hostname)
	}
	for _, a := range n.Addresses {
		if a.Type == "Hostname" || a.Type == "InternalDNS" {
			names = append(names, a.Address)
		}
	}
	return names
}

func label(host string) string {
	first, _, _ := strings.Cut(host, ".")
	return first
}
