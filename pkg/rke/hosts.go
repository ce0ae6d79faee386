package rke

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// host is an entry of nodes as rke completes it: internal_address and
// hostname_override default to address, and the override is put in lower case
// (rancher/rke:cluster/defaults.go@v1.5.9, setClusterDefaults).
type host struct {
	address, internal, override string
	role                        []string
}

func (h host) has(role string) bool { return slices.Contains(h.role, role) }

// hosts are the nodes of cluster.yml, or those of the state where the file has
// none because Rancher keeps them.
func (f Facts) hosts() []host {
	var out []host
	add := func(address, internal, override string, role []string) {
		out = append(out, host{address: address, internal: orElse(internal, address),
			override: strings.ToLower(orElse(override, address)), role: role})
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

// foundAs says whether rke finds the Node after the switch, when its label
// kubernetes.io/hostname is its name.
func (h host) foundAs(node *downstream.Node) bool {
	return h.override == node.Name || slices.Contains(internalIPs(node), h.internal)
}

// pair is an entry of nodes and its Node.
type pair struct {
	host host
	node *downstream.Node
}

// pairNodes finds the Node of every entry. A Node that two entries find, or an
// entry that finds none or several, is a fault: nothing about names can be
// proven then.
func pairNodes(f Facts, nodes []downstream.Node) ([]pair, error) {
	hosts, taken := f.hosts(), map[string]string{}
	pairs := make([]pair, 0, len(hosts))
	for _, h := range hosts {
		found := nodesOf(h, nodes)
		object := "node " + h.address + " of " + orElse(f.Path, "the cluster")
		if len(found) != 1 {
			return nil, unpaired(object, fmt.Sprintf("%d Nodes are found for it", len(found)))
		}
		name := found[0].Name
		if other, double := taken[name]; double {
			return nil, unpaired(object, fmt.Sprintf("its Node %s is that of node %s, too", name, other))
		}
		taken[name] = h.address
		pairs = append(pairs, pair{h, found[0]})
	}
	if len(pairs) == 0 {
		return nil, unpaired(orElse(f.Path, "the cluster"), "no nodes")
	}
	return pairs, nil
}

func unpaired(object, seen string) error {
	return &fault.Error{Class: fault.Check, Reason: ReasonNamesNotProven, Object: object, Seen: seen,
		Wanted: "exactly one Node, by label " + corev1.LabelHostname + ", InternalIP or annotation " + downstream.AnnotationRKEInternal,
		Fix:    "correct address, internal_address or hostname_override of that node"}
}

// nodesOf looks for a node as rke does before the switch, by label, and by
// address. Where the two disagree both are given.
func nodesOf(h host, nodes []downstream.Node) []*downstream.Node {
	var found []*downstream.Node
	look := func(matches func(*downstream.Node) bool) {
		for i := range nodes {
			if matches(&nodes[i]) && !slices.Contains(found, &nodes[i]) {
				found = append(found, &nodes[i])
			}
		}
	}
	look(func(n *downstream.Node) bool { return strings.EqualFold(n.Labels[corev1.LabelHostname], h.override) })
	look(func(n *downstream.Node) bool { return slices.Contains(internalIPs(n), h.internal) })
	if len(found) == 0 {
		look(func(n *downstream.Node) bool {
			return n.Annotations[downstream.AnnotationRKEInternal] == h.internal || n.Annotations[downstream.AnnotationRKEExternal] == h.address
		})
	}
	return found
}

func internalIPs(node *downstream.Node) []string {
	var ips []string
	for _, a := range node.Addresses {
		if a.Type == "InternalIP" {
			ips = append(ips, a.Address)
		}
	}
	return ips
}

func instanceOf(node *downstream.Node, instances cloud.Facts) (cloud.Instance, bool) {
	_, id, ok := downstream.ParseProviderID(node.ProviderID)
	if !ok || !instances.On || !instances.Instances.OK() {
		return cloud.Instance{}, false
	}
	instance, found := instances.Instances.Value[id]
	if instance.ID == "" {
		instance.ID = id
	}
	return instance, found
}

// flagOf is the value of an extra argument of a service, whichever map has it,
// with or without leading dashes.
func flagOf(s clusterfile.Service, name string) (string, bool) {
	for key, value := range s.ExtraArgs {
		if flagName(key) == name {
			return value, true
		}
	}
	for key, values := range s.ExtraArgsArray {
		if flagName(key) == name {
			return strings.Join(values, ","), true
		}
	}
	return "", false
}

// flagName is the flag that a key of extra_args is meant for: pflag takes
// underscores for hyphens, and rke adds the dashes itself.
func flagName(key string) string {
	return strings.ReplaceAll(strings.TrimLeft(key, "-"), "_", "-")
}
