package downstream

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
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

// Evidence is what the position is computed from. The caller knows the components of
// its distribution, and how many control planes there are to be: of planes, their
// Nodes, there may be fewer. leader is the verdict on the migration lease.
func (c Cluster) Evidence(kcms []position.KCM, planes []Node, expected int, leader lease.Verdict) position.Evidence {
	return position.Evidence{KCMs: kcms, CCM: c.CCMEvidence(planes, expected), Grant: answer(c.MayGet, c.MayUpdate),
		OwnGrant: answer(c.OwnGrant, c.OwnGrant), Lease: ownerOf(leader)}
}

// CCMEvidence is the part of Evidence that is about the CCM.
func (c Cluster) CCMEvidence(planes []Node, expected int) position.CCM {
	container, there := c.CCMContainer()
	if !there {
		return position.CCM{Seen: position.No}
	}
	covered := coverage(*c.CCM, planes, c.CCMPods)
	return ccmEvidence([]Container{container}, c.CCMPods, covered.Complete() && len(planes) == expected)
}

// CCMContainer is the container of the CCM in its DaemonSet; there is false without
// one. A DaemonSet of that name runs it, whatever its command line says.
func (c Cluster) CCMContainer() (container Container, there bool) {
	if c.CCM == nil || len(c.CCM.Containers) == 0 {
		return Container{}, false
	}
	if container, there = RunsCCM(c.CCM.Containers); !there {
		container = c.CCM.Containers[0]
	}
	return container, true
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
