package downstream

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Cluster is what a rollout, a hand-over and the position are judged by: what a step
// looks at again and again while it waits. It is read as a whole or not at all; Facts
// are read rarely, and have more.
type Cluster struct {
	Nodes     []Node
	KCMPods   []Pod      // of kube-controller-managers; none where no static pods run them
	APIPods   []Pod      // of kube-apiservers; the same
	CCM       *DaemonSet // kube-system/aws-cloud-controller-manager; nil: there is none
	CCMPods   []Pod      // with the chart's labels
	Leases    lease.Readings
	MayGet    bool // the KCM's user may get the migration lease
	MayUpdate bool // and update it
	OwnGrant  bool // our Role or RoleBinding exists
	// Record says that Helm's record of our release is there although its DaemonSet
	// is not: an installation, or its end, that was cut off. Read in an undo alone.
	Record bool
}

// Cluster is the part of the facts that a distribution's own checks look at: Nodes and
// kube-controller-managers, and nothing else.
func (f Facts) Cluster() Cluster {
	c := Cluster{Nodes: slices.Clone(f.Nodes.Value)}
	for _, p := range f.StaticPods.Value {
		if _, is := RunsKCM(p.Containers); is && !p.Deleting {
			c.KCMPods = append(c.KCMPods, p)
		}
	}
	return c
}

// Node is the Node of a name; nil: there is none.
func (c Cluster) Node(name string) *Node {
	for i := range c.Nodes {
		if c.Nodes[i].Name == name {
			return &c.Nodes[i]
		}
	}
	return nil
}
