package likeness_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

func node(t *testing.T, change func(*corev1.Node)) corev1.Node {
	t.Helper()
	raw, err := os.ReadFile("testdata/node.json")
	if err != nil {
		t.Fatal(err)
	}
	var n corev1.Node
	if err := json.Unmarshal(raw, &n); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&n)
	}
	return n
}

// A seeded difference of each kind is found, and one that is known is not.
func TestDifferences(t *testing.T) {
	record, err := likeness.Describe([]corev1.Node{node(t, nil)}, leases("ip-10-0-0-5_1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*corev1.Node)
		holder string
		want   []string
	}{
		{"the same", nil, "ip-10-0-0-5_2", nil},
		{"known", func(n *corev1.Node) { n.Status.NodeInfo.OSImage = "other" }, "ip-10-0-0-5_1", nil},
		{"a label", func(n *corev1.Node) { n.Labels["a/b"] = "c" }, "ip-10-0-0-5_1", []string{"+ worker metadata.labels.a/b: c"}},
		{"a taint", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: "NoSchedule"}} }, "ip-10-0-0-5_1",
			[]string{"+ worker spec.taints[k].effect: NoSchedule", "+ worker spec.taints[k].key: k"}},
		{"a name", func(n *corev1.Node) { n.Labels[corev1.LabelHostname] = "other" }, "ip-10-0-0-5_1",
			[]string{"- worker metadata.labels.kubernetes.io/hostname: ADDRESS", "+ worker metadata.labels.kubernetes.io/hostname: other"}},
		{"an address", func(n *corev1.Node) { n.Status.Addresses = n.Status.Addresses[:2] }, "ip-10-0-0-5_1",
			[]string{"- worker status.addresses[InternalDNS].address: NAME", "- worker status.addresses[InternalDNS].type: InternalDNS"}},
		{"an identity", nil, "other_1", []string{
			"+ lease kube-controller-manager: held by other_1", "- lease kube-controller-manager: held by the host name of a Node and a random part"}},
	} {
		seen, err := likeness.Describe([]corev1.Node{node(t, test.change)}, leases(test.holder), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := likeness.Differences(record, seen); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, wanted %q", test.name, got, test.want)
		}
	}
}

// Of a control plane's pods every value that a cluster decides is compared, of other static pods the
// status, and nothing of pods that are no static pods.
func TestDifferences_pods(t *testing.T) {
	pod := func(component string, change func(*corev1.Pod)) corev1.Pod {
		var p corev1.Pod
		p.Name, p.UID = component+"-ip-10-0-0-5.ec2.internal", "uid"
		p.Labels = map[string]string{"component": component}
		p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash", "kubernetes.io/config.hash": "hash"}
		p.Spec.NodeName = "ip-10-0-0-5.ec2.internal"
		p.Spec.Containers = []corev1.Container{{Name: component, Args: []string{"--a=10.0.0.5"}}}
		p.Status.Phase = corev1.PodRunning
		if change != nil {
			change(&p)
		}
		return p
	}
	describe := func(pods ...corev1.Pod) []string {
		lines, err := likeness.Describe([]corev1.Node{node(t, nil)}, nil, pods)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	record := describe(pod("kube-controller-manager", nil), pod("etcd", nil))
	for name, test := range map[string]struct {
		manager, etcd func(*corev1.Pod)
		want          []string
	}{
		"own": {func(p *corev1.Pod) { p.UID, p.Annotations["kubernetes.io/config.hash"] = "other", "other" }, nil, nil},
		"an argument": {func(p *corev1.Pod) { p.Spec.Containers[0].Args[0] = "--b" }, nil, []string{
			"- pod kube-controller-manager spec.containers[kube-controller-manager].args[0]: --a=ADDRESS",
			"+ pod kube-controller-manager spec.containers[kube-controller-manager].args[0]: --b"}},
		"another pod's argument": {nil, func(p *corev1.Pod) { p.Spec.Containers[0].Args[0] = "--b" }, nil},
		"another pod's status": {nil, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, []string{
			"+ pod etcd status.phase: Failed", "- pod etcd status.phase: Running"}},
		"no static pod": {nil, func(p *corev1.Pod) { p.Annotations = nil }, []string{
			"- pod etcd metadata.name: etcd-NAME", "- pod etcd status.phase: Running"}},
	} {
		if got := likeness.Differences(record, describe(pod("kube-controller-manager", test.manager), pod("etcd", test.etcd))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, wanted %q", name, got, test.want)
		}
	}
}

func leases(holder string) []coordinationv1.Lease {
	l := coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}
	l.Namespace, l.Name = "kube-system", "kube-controller-manager"
	return []coordinationv1.Lease{l}
}
