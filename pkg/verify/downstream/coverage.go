package downstream

import (
	"slices"
)

// Coverage is how far the pods of a DaemonSet cover the Nodes that it is for. Its own
// numbers count pods on whatever Nodes they are, and kubectl's rollout status passes
// none at all.
type Coverage struct {
	Nodes    []string // that are to have a pod, by name
	Ready    []string // Nodes of its ready pods, one entry for each pod
	Desired  int      // pods that its controller wants
	Updated  int      // of them on the current template
	Observed bool     // the controller has seen the current template
}

// Missing are the Nodes without a ready pod.
func (c Coverage) Missing() []string {
	has := make(map[string]bool, len(c.Ready))
	for _, node := range c.Ready {
		has[node] = true
	}
	return slices.DeleteFunc(slices.Clone(c.Nodes), func(node string) bool { return has[node] })
}

// Complete says whether every Node has a ready pod, no other Node is to have one, and
// no rollout is under way.
func (c Coverage) Complete() bool {
	return len(c.Nodes) > 0 && c.Observed && c.Desired == len(c.Nodes) && c.Updated == c.Desired && len(c.Missing()) == 0
}

// CCMCoverage is the coverage of the control plane by the DaemonSet of the CCM. ok is
// false where there is not exactly one, or something could not be read.
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
