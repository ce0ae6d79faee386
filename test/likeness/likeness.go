// Package likeness compares what an API client sees of a cluster on the lab's stand-ins with what
// it sees of one on real machines: a record of the latter is kept, and the former is held to it.
//
// It compares Nodes, the Leases of leaders and the mirror pods of static pods at one moment, and the
// states through which these pass in a migration. It omits the durations of leases, which tests
// shorten, delays, events, and other pods.
package likeness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
)

// Describe returns a line for each value of the Nodes, Leases and mirror pods, sorted, with names in
// place of values that every cluster has of its own, and without Known ones. Objects of one role that
// differ have lines of each.
func Describe(nodes []corev1.Node, leases []coordinationv1.Lease, pods []corev1.Pod) ([]string, error) {
	lines := map[string]bool{}
	names := map[string]*strings.Replacer{}
	for _, node := range nodes {
		names[node.Name] = placeholders(node, nodes)
		if err := describe(lines, role(node), node, names[node.Name], func(string) bool { return true }); err != nil {
			return nil, err
		}
	}
	for _, pod := range pods {
		if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; !mirror || names[pod.Spec.NodeName] == nil {
			continue
		}
		component := pod.Labels["component"]
		compared := func(path string) bool { return isCompared(component, path) }
		if err := describe(lines, "pod "+component, pod, names[pod.Spec.NodeName], compared); err != nil {
			return nil, err
		}
	}
	for _, l := range leases {
		if l.Namespace == "kube-system" && l.Spec.HolderIdentity != nil && !strings.HasPrefix(l.Name, "kube-apiserver-") {
			if line := fmt.Sprintf("lease %s: held by %s", l.Name, identityForm(*l.Spec.HolderIdentity, nodes)); !isKnown(line) {
				lines[line] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(lines)), nil
}

// describe adds a line for each compared value of an object.
func describe(lines map[string]bool, of string, object any, names *strings.Replacer, compared func(path string) bool) error {
	values, err := flatten(object)
	if err != nil {
		return err
	}
	for path, value := range values {
		if line := of + " " + names.Replace(path) + ": " + names.Replace(value); compared(path) && !isOwn(path) && !isKnown(line) {
			lines[line] = true
		}
	}
	return nil
}

// atTimes begins a line of a record that not everything recorded showed.
const atTimes = "? "

// Differences returns the lines that the record has and the other description lacks, with -, and
// those that the record lacks, with +.
func Differences(record, seen []string) []string {
	var out []string
	for _, line := range record {
		if !strings.HasPrefix(line, atTimes) && !slices.Contains(seen, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range seen {
		if !slices.Contains(record, line) && !slices.Contains(record, atTimes+line) {
			out = append(out, "+ "+line)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(strings.Compare(a[2:], b[2:]), strings.Compare(a, b)) })
	return out
}

// isOwn reports whether a value is a time, an ID or a counter, which never repeats, or a note of
// the API server about writers.
func isOwn(path string) bool {
	for _, part := range []string{
		"metadata.managedFields", "metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp", "Time", "timeAdded", "spec.podCIDR",
		"kubernetes.io/config.", "startedAt", "finishedAt", "containerID", "imageID", "restartCount", "lastState", "env[FILE_HASH].value", "rke2.io/node-config-hash",
	} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return strings.HasPrefix(path, "metadata.ownerReferences") && strings.HasSuffix(path, ".uid")
}

// isCompared reports whether a pod's value is compared. All of those that awsmigrate reads for its verdicts
// are; of the other pods only the status is. A volume's path is that of its mount.
func isCompared(component, path string) bool {
	if component != "kube-apiserver" && component != "kube-controller-manager" {
		return path == "metadata.name" || strings.HasPrefix(path, "status.conditions") || path == "status.phase"
	}
	return !strings.HasPrefix(path, "spec.volumes[")
}

func role(node corev1.Node) string {
	for _, label := range []string{"node-role.kubernetes.io/controlplane", "node-role.kubernetes.io/control-plane"} { // rke's, RKE2's
		if _, is := node.Labels[label]; is {
			return "control plane"
		}
	}
	return "worker"
}

// placeholders replaces the values of one machine, and the addresses of the others. The address by
// which rke reaches a machine is its private one on real machines, and a loopback one in the lab.
func placeholders(node corev1.Node, all []corev1.Node) *strings.Replacer {
	zone := node.Labels[corev1.LabelTopologyZone]
	instance := node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]
	pairs := []string{node.Name, "NAME", orNone(instance), "INSTANCE"}
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			pairs = append(pairs, address.Address, "ADDRESS")
		}
	}
	for _, other := range all {
		for _, address := range other.Status.Addresses {
			if address.Type == corev1.NodeInternalIP && other.Name != node.Name {
				pairs = append(pairs, address.Address, "OTHER-ADDRESS")
			}
		}
	}
	pairs = append(pairs,
		orNone(node.Annotations["rke.cattle.io/external-ip"]), "ADDRESS", orNone(zone), "ZONE",
		orNone(node.Labels["rke.cattle.io/machine"]), "MACHINE-UID", orNone(node.Annotations["cluster.x-k8s.io/machine"]), "MACHINE")
	return strings.NewReplacer(pairs...)
}

// orNone returns a text that occurs nowhere in place of an empty one, which would occur everywhere.
func orNone(text string) string {
	if text == "" {
		return "\x00"
	}
	return text
}

// randomEnd is the end of a machine's name that a pool gives.
var randomEnd = regexp.MustCompile(`-[0-9a-f]{8}-[0-9a-z]{5}$`)

// identityForm describes the identity of a leader, of which a random part follows its host name.
func identityForm(identity string, nodes []corev1.Node) string {
	host, _, _ := strings.Cut(identity, "_")
	for _, node := range nodes {
		if short, _, _ := strings.Cut(node.Name, "."); host == short {
			return "the host name of a Node and a random part"
		}
	}
	if named := randomEnd.ReplaceAllString(host, ""); named != host {
		return "a host name of pool " + named + " and a random part"
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
	for _, key := range []string{"type", "key", "name"} {
		if name, ok := fields[key].(string); ok {
			return name
		}
	}
	return fmt.Sprint(i)
}
