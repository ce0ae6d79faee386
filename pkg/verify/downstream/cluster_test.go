package downstream

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// migrating returns a cluster of three control planes with a CCM that is rolled out.
func migrating() Cluster {
	container := Container{Name: wellknown.CCM, Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14",
		Args: []string{"--cloud-provider=aws", "--enable-leader-migration=true"}}
	c := Cluster{MayGet: true, MayUpdate: true, OwnGrant: true, CCM: &DaemonSet{
		Object: Object{Kind: "DaemonSet", Namespace: wellknown.System, Name: wellknown.CCM}, Containers: []Container{container},
		Desired: 3, Current: 3, Updated: 3, Ready: 3, Available: 3, Generation: 1, Observed: 1}}
	for _, name := range []string{"a", "b", "c"} {
		c.Nodes = append(c.Nodes, Node{Name: name, Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true"}})
		c.CCMPods = append(c.CCMPods, Pod{Namespace: wellknown.System, Name: "ccm-" + name, Node: name, Phase: "Running", Ready: true, Containers: []Container{container}})
	}
	return c
}

// CCM and CCMEvidence return the same evidence for the same cluster.
func TestCCMEvidence(t *testing.T) {
	const with, without = "--enable-leader-migration=true", "--v=2"
	newer := "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.1"
	arg := func(c *Container, args ...string) { c.Args = append([]string{"--cloud-provider=aws"}, args...) }
	for name, tt := range map[string]struct {
		change func(*Cluster)
		want   position.CCM
	}{
		"rolled out": {func(*Cluster) {}, position.CCM{Seen: position.Yes, Migration: true, PodsWith: 3, Complete: true, ConfigFile: true}},
		"none":       {func(c *Cluster) { c.CCM, c.CCMPods = nil, nil }, position.CCM{Seen: position.No}},
		"a pod of the previous template": {func(c *Cluster) { arg(&c.CCMPods[0].Containers[0], without); c.CCM.Updated = 2 },
			position.CCM{Seen: position.Yes, Migration: true, PodsWith: 2, PodsWithout: 1, ConfigFile: true}},
		"a pod that has ended": {func(c *Cluster) { c.CCMPods[0].Phase = "Failed"; c.CCMPods[0].Ready = false },
			position.CCM{Seen: position.Yes, Migration: true, PodsWith: 2, ConfigFile: true}},
		"DaemonSet being deleted": {func(c *Cluster) { c.CCM.Deleting = true }, position.CCM{Seen: position.Yes, Migration: true, PodsWith: 3, ConfigFile: true}},
		"a flag that cannot be read": {func(c *Cluster) { arg(&c.CCM.Containers[0], "--enable-leader-migration=maybe") },
			position.CCM{Seen: position.Unseen}},
		"an image that needs the file, and has none": {func(c *Cluster) { c.CCM.Containers[0].Image = newer },
			position.CCM{Seen: position.Yes, Migration: true, PodsWith: 3, Complete: true, DefaultUnsafe: true}},
		"the same, with the file, next to pods that need none": {func(c *Cluster) {
			c.CCM.Containers[0].Image = newer
			arg(&c.CCM.Containers[0], with, "--leader-migration-config=/etc/m/f.yaml")
		}, position.CCM{Seen: position.Yes, Migration: true, PodsWith: 3, Complete: true, DefaultUnsafe: true, ConfigFile: true}},
		"pods that lack the file they need, while it is rolled out": {func(c *Cluster) {
			arg(&c.CCM.Containers[0], with, "--leader-migration-config=/etc/m/f.yaml")
			c.CCM.Containers[0].Image, c.CCMPods[2].Containers[0].Image = newer, newer
		}, position.CCM{Seen: position.Yes, Migration: true, PodsWith: 3, Complete: true, DefaultUnsafe: true}},
		"another container before it": {func(c *Cluster) {
			c.CCM.Containers = append([]Container{{Name: "proxy", Image: "proxy:v1"}}, c.CCM.Containers...)
		}, position.CCM{Seen: position.Yes, Migration: true, PodsWith: 3, Complete: true, ConfigFile: true}},
	} {
		c := migrating()
		c.CCM.Containers = append([]Container{}, c.CCM.Containers...)
		for i := range c.CCMPods {
			c.CCMPods[i].Containers = append([]Container{}, c.CCMPods[i].Containers...)
		}
		tt.change(&c)
		run := c.CCMEvidence(c.Nodes, 3)
		facts := Facts{Nodes: verify.Got(c.Nodes), CCMPods: verify.Got(c.CCMPods), Workloads: verify.Got[[]Workload](nil),
			DaemonSets: verify.Got[[]DaemonSet](nil), LoosePods: verify.Got[[]Pod](nil), StaticPods: verify.Got[[]Pod](nil)}
		if c.CCM != nil {
			facts.DaemonSets.Value = []DaemonSet{*c.CCM}
		}
		if audit := facts.CCM(); audit != run {
			t.Errorf("%s: a run sees %+v, an audit %+v", name, run, audit)
		}
		run.Image, run.Why = "", ""
		if run != tt.want {
			t.Errorf("%s: %+v", name, run)
		}
	}
}

func TestClusterEvidence(t *testing.T) {
	c := migrating()
	kcms := []position.KCM{{Machine: "a", Mode: component.InTreeMigrating}}
	holder := lease.Verdict{Owner: lease.KCM, Life: lease.Alive}
	e := c.Evidence(kcms, c.Nodes, 3, holder)
	if e.Grant != position.Yes || e.OwnGrant != position.Yes || e.Lease != position.HeldByKCM || len(e.KCMs) != 1 || !e.CCM.Complete {
		t.Errorf("%+v", e)
	}
	if c.Evidence(kcms, c.Nodes, 4, holder).CCM.Complete {
		t.Error("a control plane without a Node is taken for covered")
	}
	c.MayUpdate, c.OwnGrant = false, false
	if e := c.Evidence(kcms, c.Nodes, 3, holder); e.Grant != position.Partial || e.OwnGrant != position.No {
		t.Errorf("%+v", e)
	}
}

// Facts.Cluster returns the static pods that are not being deleted.
func TestFactsCluster_endingPods_omitted(t *testing.T) {
	kcm := []Container{{Name: wellknown.KCM, Image: "rancher/hardened-kubernetes:v1", Command: []string{wellknown.KCM}}}
	f := Facts{Nodes: verify.Got([]Node{{Name: "a"}}), StaticPods: verify.Got([]Pod{
		{Name: "runs", Containers: kcm}, {Name: "ends", Containers: kcm, Deleting: true}, {Name: "other", Containers: []Container{{Name: "etcd", Image: "etcd:v3"}}}})}
	c := f.Cluster()
	if len(c.KCMPods) != 1 || c.KCMPods[0].Name != "runs" || len(c.Nodes) != 1 || c.Node("a") == nil || c.Node("b") != nil {
		t.Errorf("%+v", c)
	}
	if c.Nodes[0].Name = "changed"; f.Nodes.Value[0].Name != "a" {
		t.Error("a change of the one changes the other")
	}
}
