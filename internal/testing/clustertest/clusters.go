package clustertest

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// Start is the time at which the test clusters are observed.
var Start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// At returns a snapshot of a cluster at a position: two control planes, cp-0 and cp-1, and one
// worker. Nothing changes, and every lease holder renews.
func At(p position.Position) migration.Snapshot {
	r := migration.Reading{Object: "Cluster demo", Version: "v1.26.15+rke2r1", ControlPlaneLabel: controlPlaneLabel, ProviderSource: "last --cloud-provider is"}
	kubelets := migration.KubeletInTree
	if p >= position.P4 {
		kubelets = migration.KubeletExternal
	}
	for _, name := range []string{"cp-0", "cp-1"} {
		r.Members = append(r.Members, migration.Member{Name: name, Kind: "Machine", Nodes: []string{name}, ControlPlane: true, Kubelet: kubelets})
		r.Down.Nodes = append(r.Down.Nodes, ReadyNode(name, map[string]string{controlPlaneLabel: "true"}))
		provider := component.ProviderAWS
		if p >= position.P4 {
			provider = component.ProviderExternal
		}
		r.KCMs = append(r.KCMs, AKCM(name, provider, p == position.P2 || p == position.P3))
	}
	r.Members = append(r.Members, migration.Member{Name: "worker", Kind: "Machine", Nodes: []string{"worker"}, Worker: true, Kubelet: kubelets})
	r.Down.Nodes = append(r.Down.Nodes, ReadyNode("worker", nil))
	if p >= position.P1 && p < position.P5 {
		r.Down.MayGet, r.Down.MayUpdate, r.Down.OwnGrant = true, true, true
	}
	r.Leases = LeasesAt(p)
	r.Down.Leases = lease.Readings{Migration: r.Leases.Migration.Last, KCM: r.Leases.KCM.Last, CCM: r.Leases.CCM.Last}
	snap := migration.Snapshot{Reading: r, Result: ResultAt(p), InstallMethod: migration.InstallHelm, At: Start}
	if p >= position.P3 {
		return WithCCM(snap, p < position.P5)
	}
	return snap
}

// WithCCM adds a cloud controller manager that runs on every control plane.
func WithCCM(snap migration.Snapshot, flagged bool) migration.Snapshot {
	snap.Reading.Down.CCM = CCM(flagged, 2)
	snap.Reading.Down.CCMPods = []downstream.Pod{CCMPod("cp-0", flagged), CCMPod("cp-1", flagged)}
	return snap
}

// ReadyNode returns a Node of a cluster at rest.
func ReadyNode(name string, labels map[string]string) downstream.Node {
	return downstream.Node{Name: name, UID: "uid-" + name, ProviderID: fmt.Sprintf("aws:///us-east-1a/i-%08x", name), Labels: labels,
		Ready: downstream.Condition{Status: "True"}, Kubelet: "v1.26.15+rke2r1"}
}

// AKCM returns the kube-controller-manager of a control plane. flagged reports whether it has
// enable-leader-migration.
func AKCM(name, provider string, flagged bool) migration.KCM {
	words := []string{"--cloud-provider=" + provider}
	if flagged {
		words = append(words, "--enable-leader-migration=true")
	}
	return migration.KCM{Member: name, Kind: "Machine", Node: name, Known: true, Ready: true, Args: component.Parse(words), Pod: &downstream.Pod{}}
}

func ccmContainer(flagged bool) downstream.Container {
	c := downstream.Container{Name: wellknown.CCM, Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.6", Args: []string{"--cloud-provider=aws"}}
	if flagged {
		c.Args = append(c.Args, "--enable-leader-migration=true")
	}
	return c
}

// CCM returns the CCM's DaemonSet with all pods Ready.
func CCM(flagged bool, nodes int32) *downstream.DaemonSet {
	return &downstream.DaemonSet{
		Object: downstream.Object{Kind: "DaemonSet", Namespace: wellknown.System, Name: wellknown.CCM}, UID: "ccm", Generation: 1, Observed: 1,
		NodeSelector: map[string]string{controlPlaneLabel: "true"}, ServiceAccount: wellknown.CCM, Containers: []downstream.Container{ccmContainer(flagged)},
		Desired: nodes, Updated: nodes, Ready: nodes,
	}
}

// CCMPod returns a running pod of the CCM.
func CCMPod(node string, flagged bool) downstream.Pod {
	return downstream.Pod{Namespace: wellknown.System, Name: "ccm-" + node, UID: "ccm-" + node, Node: node, Phase: "Running", Ready: true,
		Containers: []downstream.Container{ccmContainer(flagged)}, Statuses: []downstream.ContainerStatus{{Ready: true}}}
}

// SetPodReady sets whether a pod of the CCM is Ready.
func SetPodReady(pod *downstream.Pod, ready bool) { pod.Ready = ready }

// SetRestarts sets the restart count of a pod of the CCM.
func SetRestarts(pod *downstream.Pod, restarts int32) {
	pod.Restarts, pod.Statuses[0].Restarts = restarts, restarts
}

// Lease returns a lease without a holder.
func Lease(name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: name, UID: "lease", ResourceVersion: "7"}}
}

// Renewing returns two readings of a lease that its holder renewed in between.
func Renewing(holder, manager string) lease.Series {
	first := lease.Observation{Exists: true, UID: "u", Holder: holder, Manager: manager, Duration: 15 * time.Second, ResourceVersion: "1", Renew: Start}
	last := first
	last.ResourceVersion, last.Renew, last.At = "2", Start.Add(time.Second), time.Second
	return lease.Series{First: first, Last: last}
}

// Unwritten returns the readings of s without a write in between.
func Unwritten(s lease.Series) lease.Series {
	at := s.Last.At
	s.Last = s.First
	s.Last.At = at
	return s
}

// LeasesAt returns the leases at a position. The kube-controller-manager on cp-0 leads, and
// the CCM on cp-1.
func LeasesAt(p position.Position) lease.Leases {
	kcm, ccm := Renewing("cp-0_kcm", wellknown.KCM), Renewing("cp-1_ccm", wellknown.CCM)
	leases := lease.Leases{KCM: kcm}
	if p == position.P2 || p == position.P3 {
		leases.Migration = kcm
	}
	if p == position.P4 {
		leases.Migration = ccm
	}
	if p >= position.P3 {
		leases.CCM = ccm
	}
	return leases
}
