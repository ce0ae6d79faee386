// Package likeness compares what an API client sees of a cluster on the lab's stand-ins with what
// it sees of one on real machines: a record of the latter is kept, and the former is held to it.
//
// It compares Nodes and the Leases of leaders at one moment. It omits the durations of leases, which
// tests shorten, the order and delay of changes, events, and pods.
package likeness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
)

// Describe returns a line for each value of the Nodes and Leases, sorted, with names in place of
// values that every cluster has of its own, and without Known ones. Nodes of one role that differ
// have lines of each.
func Describe(nodes []corev1.Node, leases []coordinationv1.Lease) ([]string, error) {
	lines := map[string]bool{}
	for _, node := range nodes {
		values, err := flatten(node)
		if err != nil {
			return nil, err
		}
		names := placeholders(node)
		for path, value := range values {
			if line := names.Replace(path) + ": " + names.Replace(value); !isOwn(path) && !isKnown(line) {
				lines[role(node)+" "+line] = true
			}
		}
	}
	for _, l := range leases {
		if l.Namespace == "kube-system" && l.Spec.HolderIdentity != nil && !strings.HasPrefix(l.Name, "kube-apiserver-") {
			lines[fmt.Sprintf("lease %s: held by %s", l.Name, identityForm(*l.Spec.HolderIdentity, nodes))] = true
		}
	}
	return slices.Sorted(maps.Keys(lines)), nil
}

// Differences returns the lines that only one of two descriptions has, with - for the record and
// + for the other.
func Differences(record, seen []string) []string {
	var out []string
	for mark, sides := range map[string][2][]string{"- ": {record, seen}, "+ ": {seen, record}} {
		for _, line := range sides[0] {
			if !slices.Contains(sides[1], line) {
				out = append(out, mark+line)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(strings.Compare(a[2:], b[2:]), strings.Compare(a, b)) })
	return out
}

// isOwn reports whether a value is a time, an ID or a counter, which never repeats, or a note of
// the API server about writers.
func isOwn(path string) bool {
	for _, part := range []string{"metadata.managedFields", "metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp", "Time", "timeAdded", "spec.podCIDR"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

func role(node corev1.Node) string {
	if _, is := node.Labels["node-role.kubernetes.io/controlplane"]; is {
		return "control plane"
	}
	return "worker"
}

// placeholders replaces the values of one machine. The address by which rke reaches a machine is
// its private one on real machines, and a loopback one in the lab.
func placeholders(node corev1.Node) *strings.Replacer {
	zone := node.Labels[corev1.LabelTopologyZone]
	instance := node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]
	pairs := []string{node.Name, "NAME", orNone(instance), "INSTANCE"}
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			pairs = append(pairs, address.Address, "ADDRESS")
		}
	}
	pairs = append(pairs, orNone(node.Annotations["rke.cattle.io/external-ip"]), "ADDRESS", orNone(zone), "ZONE")
	return strings.NewReplacer(pairs...)
}

// orNone returns a text that occurs nowhere in place of an empty one, which would occur everywhere.
func orNone(text string) string {
	if text == "" {
		return "\x00"
	}
	return text
}

// identityForm describes the identity of a leader, of which a random part follows its host name.
func identityForm(identity string, nodes []corev1.Node) string {
	host, _, _ := strings.Cut(identity, "_")
	for _, node := range nodes {
		if short, _, _ := strings.Cut(node.Name, "."); host == short {
			return "the host name of a Node and a random part"
		}
	}
	return identity
}

// flatten returns the leaves of an object by their paths. An item of a list has the name of its
// type or key, if it has one.
func flatten(object any) (map[string]string, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	out := map[string]string{}
	addLeaves(out, "", tree)
	return out, nil
}

func addLeaves(out map[string]string, path string, tree any) {
	switch value := tree.(type) {
	case map[string]any:
		for key, child := range value {
			addLeaves(out, strings.TrimPrefix(path+"."+key, "."), child)
		}
	case []any:
		for i, child := range value {
			addLeaves(out, path+"["+itemName(i, child)+"]", child)
		}
	default:
		out[path] = fmt.Sprint(value)
	}
}

func itemName(i int, item any) string {
	fields, _ := item.(map[string]any)
	for _, key := range []string{"type", "key"} {
		if name, ok := fields[key].(string); ok {
			return name
		}
	}
	return fmt.Sprint(i)
}
