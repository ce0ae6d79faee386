package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Pair is an entry of nodes with its Node.
type Pair struct {
	Host rkestate.Host
	Node *downstream.Node
}

// Found reports whether rke finds the Node after the switch, when its label
// kubernetes.io/hostname is its name.
func (p Pair) Found() bool {
	return p.Host.Override == p.Node.Name || slices.Contains(InternalIPs(p.Node), p.Host.Internal)
}

// Pairs finds the Node of every entry. It returns an error if two entries share a Node, or if an
// entry has no Node or several: then names cannot be proven.
func Pairs(f rkestate.Facts, nodes []downstream.Node) ([]Pair, error) {
	hosts, taken := f.Hosts(), map[string]string{}
	pairs := make([]Pair, 0, len(hosts))
	for _, h := range hosts {
		found := NodesOf(h, nodes)
		object := "node " + h.Address + " of " + cmp.Or(f.Path, "the cluster")
		if len(found) != 1 {
			return nil, unpaired(object, fmt.Sprintf("%d Nodes are found for it", len(found)))
		}
		name := found[0].Name
		if other, double := taken[name]; double {
			return nil, unpaired(object, fmt.Sprintf("its Node %s is that of node %s, too", name, other))
		}
		taken[name] = h.Address
		pairs = append(pairs, Pair{h, found[0]})
	}
	if len(pairs) == 0 {
		return nil, unpaired(cmp.Or(f.Path, "the cluster"), "no nodes")
	}
	return pairs, nil
}

func unpaired(object, seen string) error {
	return &fault.Error{Class: fault.Check, Reason: ReasonNotProven, Object: object, Seen: seen,
		Wanted: "exactly one Node, by label " + corev1.LabelHostname + ", InternalIP or annotation " + downstream.AnnotationRKEInternal,
		Fix:    "correct address, internal_address or hostname_override of that node"}
}

// NodesOf finds the Nodes of a host by label, as rke does before the switch, and by address. If
// the two differ, it returns both.
func NodesOf(h rkestate.Host, nodes []downstream.Node) []*downstream.Node {
	var found []*downstream.Node
	look := func(matches func(*downstream.Node) bool) {
		for i := range nodes {
			if matches(&nodes[i]) && !slices.Contains(found, &nodes[i]) {
				found = append(found, &nodes[i])
			}
		}
	}
	look(func(n *downstream.Node) bool { return strings.EqualFold(n.Labels[corev1.LabelHostname], h.Override) })
	look(func(n *downstream.Node) bool { return slices.Contains(InternalIPs(n), h.Internal) })
	if len(found) == 0 {
		look(func(n *downstream.Node) bool {
			return n.Annotations[downstream.AnnotationRKEInternal] == h.Internal || n.Annotations[downstream.AnnotationRKEExternal] == h.Address
		})
	}
	return found
}

// InternalIPs returns the addresses of that type.
func InternalIPs(node *downstream.Node) []string {
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
