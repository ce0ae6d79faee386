package node

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func inTree() identity {
	return identity{Provider: "aws", Hostname: "meta.name", Name: "ip-10-0-1-10.ec2.internal", NodeIP: "10.0.1.10", Instance: Instance{
		ID: "i-0123", Type: "m5.large", Zone: "us-east-1a", PrivateIP: "10.0.1.10", PrivateDNSName: "ip-10-0-1-10.ec2.internal",
	}}
}

func TestInitialNode(t *testing.T) {
	args := []string{"--register-with-taints=node-role.kubernetes.io/etcd:NoExecute,a=b:NoSchedule",
		"--node-labels=rke.cattle.io/machine=uid-1,node-role.kubernetes.io/worker=true"}
	rancher := []corev1.Taint{{Key: "node-role.kubernetes.io/etcd", Effect: "NoExecute"}, {Key: "a", Value: "b", Effect: "NoSchedule"}}
	external := inTree()
	external.Provider = "external"
	for _, test := range []struct {
		name      string
		id        identity
		taints    []corev1.Taint
		provider  string
		zone      string
		addresses []corev1.NodeAddress
	}{
		{"in-tree", inTree(), rancher, "aws:///us-east-1a/i-0123", "us-east-1a", []corev1.NodeAddress{
			{Type: "InternalIP", Address: "10.0.1.10"}, {Type: "InternalDNS", Address: "ip-10-0-1-10.ec2.internal"}, {Type: "Hostname", Address: "meta.name"}}},
		{"external", external, append(rancher[:2:2], corev1.Taint{Key: uninitializedTaint, Value: "true", Effect: "NoSchedule"}), "", "", []corev1.NodeAddress{
			{Type: "InternalIP", Address: "10.0.1.10"}, {Type: "Hostname", Address: "meta.name"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			node := initialNode(test.id, args)
			if diff := cmp.Diff(test.taints, node.Spec.Taints); diff != "" {
				t.Errorf("taints:\n%s", diff)
			}
			if node.Spec.ProviderID != test.provider {
				t.Errorf("ProviderID %q, wanted %q", node.Spec.ProviderID, test.provider)
			}
			if got := node.Labels[corev1.LabelTopologyZone]; got != test.zone {
				t.Errorf("zone %q, wanted %q", got, test.zone)
			}
			if diff := cmp.Diff(test.addresses, node.Status.Addresses); diff != "" {
				t.Errorf("addresses:\n%s", diff)
			}
			if node.Labels[machineLabel] != "uid-1" || node.Labels[corev1.LabelHostname] != "meta.name" {
				t.Errorf("labels %v", node.Labels)
			}
			if _, set := node.Labels["node-role.kubernetes.io/worker"]; set {
				t.Error("a kubelet may not set role labels")
			}
		})
	}
}

func TestExistingNodeIsNotTaintedAgain(t *testing.T) {
	node := initialNode(inTree(), nil)
	before := node.DeepCopy()
	external := inTree()
	external.Provider, external.Hostname = "external", "other.name"
	reconcileExisting(node, external)
	setAddresses(node, external)
	if len(node.Spec.Taints) != 0 || node.Spec.ProviderID != before.Spec.ProviderID {
		t.Errorf("spec changed: %+v", node.Spec)
	}
	if node.Labels[corev1.LabelHostname] != "other.name" || node.Labels[corev1.LabelTopologyZone] != "us-east-1a" {
		t.Errorf("labels %v", node.Labels)
	}
	if diff := cmp.Diff(before.Status.Addresses, node.Status.Addresses); diff != "" {
		t.Errorf("an external kubelet touched addresses:\n%s", diff)
	}
}

func TestConditionsKeepTransitionTimes(t *testing.T) {
	start := time.Unix(1000, 0)
	first := conditions([]corev1.NodeCondition{{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionFalse}}, false, start)
	second := conditions(first, true, start.Add(time.Minute))
	if second[0].Type != corev1.NodeNetworkUnavailable {
		t.Errorf("another controller's condition is gone: %v", second)
	}
	for _, c := range second[1:] {
		want := start
		if c.Type == corev1.NodeReady {
			want = start.Add(time.Minute)
		}
		if !c.LastTransitionTime.Time.Equal(want) || !c.LastHeartbeatTime.Time.Equal(start.Add(time.Minute)) {
			t.Errorf("%s: transition %v heartbeat %v", c.Type, c.LastTransitionTime, c.LastHeartbeatTime)
		}
	}
}

func TestBuiltInCloudController(t *testing.T) {
	external := identity{Provider: "external", Name: "n1", Hostname: "n1", NodeIP: "10.0.0.1"}
	node := initialisedByRKE2(initialNode(external, nil))
	if node == nil || node.Spec.ProviderID != "rke2://n1" || len(node.Spec.Taints) != 0 {
		t.Fatalf("got %+v", node)
	}
	if initialisedByRKE2(node) != nil {
		t.Error("an initialised node is initialised again")
	}
}
