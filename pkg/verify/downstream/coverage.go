package downstream

import (
	"slices"
)

// Coverage describes how the pods of a DaemonSet cover the Nodes that need one. The
// DaemonSet's own numbers count pods on any Node, and kubectl's rollout status succeeds even
// without pods.
type Coverage struct {
	Nodes    []string // Nodes that need a pod
	Ready    []string // Nodes of the ready pods, one entry for each pod
	Desired  int      // pods that the DaemonSet controller wants
	Updated  int      // of them on the current template
	Observed bool     // whether the controller has observed the current template
}

// Missing returns the Nodes without a ready pod.
func (c Coverage) Missing() []string {
	has := make(map[string]bool, len(c.Ready))
	for _, node := range c.Ready {
		has[node] = true
	}
	return slices.DeleteFunc(slices.Clone(c.Nodes), func(node string) bool { return has[node] })
}

// Complete reports whether every Node has a ready pod, no other Node needs one, and no
// rollout is pending.
func (c Coverage) Complete() bool {
	return len(c.Nodes) > 0 && c.Observed && c.Desired == len(c.Nodes) && c.Updated == c.Desired && len(c.Missing()) == 0
}

// CCMCoverage returns how the CCM's DaemonSet covers the control plane. ok is false if there
// is not exactly one DaemonSet, or if a part could not be read.
func (f Facts) CCMCoverage() (c Coverage, ok bool) {
	if len(f.DaemonSets.Value) != 1 || !f.DaemonSets.OK() || !f.Nodes.OK() || !f.CCMPods.OK() {
		return Coverage{}, false
	}
	planes := slices.DeleteFunc(slices.Clone(f.Nodes.Value), func(n Node) bool { return !n.ControlPlane() })
	return coverage(f.DaemonSets.Value[0], planes, f.CCMPods.Value), true
}

func coverage(d DaemonSet, nodes []Node, pods []Pod) Coverage {
	c := Coverage{Desired: int(d.Desired), Updated: int(d.Updated), Observed: d.Observed >= d.Generation && !d.Deleting}
	for i := range nodes {
		c.Nodes = append(c.Nodes, nodes[i].Name)
	}
	for _, p := range pods {
		if _, is := RunsCCM(p.Containers); is && p.Ready && !p.Deleting && p.Namespace == d.Namespace {
			c.Ready = append(c.Ready, p.Node)
		}
	}
	return c
}
