package downstream

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Cluster holds what a run reads repeatedly while it waits: the facts that decide about a
// rollout, a hand-over and the position. It is read completely or not at all. Facts holds more
// and is read rarely.
type Cluster struct {
	Nodes     []Node
	KCMPods   []Pod      // of kube-controller-managers; empty if no static pods run them
	APIPods   []Pod      // of kube-apiservers; empty if no static pods run them
	CCM       *DaemonSet // kube-system/aws-cloud-controller-manager, or nil
	CCMPods   []Pod      // with the chart's labels
	Leases    lease.Readings
	MayGet    bool // the KCM's user may get the migration lease
	MayUpdate bool // and update it
	OwnGrant  bool // awsmigrate's Role or RoleBinding exists
	// Record reports whether Helm's record of awsmigrate's release exists without its
	// DaemonSet: an installation or a removal was interrupted. Only an undo reads it.
	Record bool
}

// Cluster returns the Nodes and kube-controller-managers of the facts, for the checks of a
// distribution.
func (f Facts) Cluster() Cluster {
	c := Cluster{Nodes: slices.Clone(f.Nodes.Value)}
	for _, p := range f.StaticPods.Value {
		if _, is := RunsKCM(p.Containers); is && !p.Deleting {
			c.KCMPods = append(c.KCMPods, p)
		}
	}
	return c
}

// Evidence returns the evidence for the position. The caller knows the KCMs of its
// distribution, the existing control-plane Nodes (planes), and how many it expects. leader is
// the verdict on the migration lease.
func (c Cluster) Evidence(kcms []position.KCM, planes []Node, expected int, leader lease.Verdict) position.Evidence {
	return position.Evidence{KCMs: kcms, CCM: c.CCMEvidence(planes, expected), Grant: answer(c.MayGet, c.MayUpdate),
		OwnGrant: answer(c.OwnGrant, c.OwnGrant), Lease: ownerOf(leader)}
}

// CCMEvidence returns the evidence about the CCM.
func (c Cluster) CCMEvidence(planes []Node, expected int) position.CCM {
	container, there := c.CCMContainer()
	if !there {
		return position.CCM{Seen: position.No}
	}
	covered := coverage(*c.CCM, planes, c.CCMPods)
	return ccmEvidence([]Container{container}, c.CCMPods, covered.Complete() && len(planes) == expected)
}

// CCMContainer returns the container of the CCM in its DaemonSet, or false without a
// DaemonSet. The first container counts if no command line identifies the CCM.
func (c Cluster) CCMContainer() (container Container, there bool) {
	if c.CCM == nil || len(c.CCM.Containers) == 0 {
		return Container{}, false
	}
	if container, there = RunsCCM(c.CCM.Containers); !there {
		container = c.CCM.Containers[0]
	}
	return container, true
}

// Node returns the Node with this name, or nil.
func (c Cluster) Node(name string) *Node {
	for i := range c.Nodes {
		if c.Nodes[i].Name == name {
			return &c.Nodes[i]
		}
	}
	return nil
}
