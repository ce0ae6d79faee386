package likeness_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

func staticPod(ready corev1.ConditionStatus) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"component": "kube-apiserver"}, Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "1"}},
		Spec:       corev1.PodSpec{NodeName: "ip-10-0-0-5.ec2.internal"},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
	}
}

// A change that only one of two courses has is found.
func TestCourse(t *testing.T) {
	start := time.Unix(0, 0)
	after := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	ready, notReady := staticPod(corev1.ConditionTrue), staticPod(corev1.ConditionFalse)
	joined := staticPod(corev1.ConditionFalse)
	joined.Name, joined.Spec.NodeName = "kube-apiserver-joined", "a joined one"
	record, seen := likeness.NewCourse(), likeness.NewCourse()
	for _, c := range []*likeness.Course{record, seen} {
		c.Pod(after(0), ready, false)
		c.Pod(after(5), ready, true)
		c.Pod(after(6), notReady, false)
		c.Lease(after(0), &leases("ip-10-0-0-5_1")[0], false)
		c.Lease(after(9), &leases("")[0], false)
		c.Node(after(0), new(node(t, nil)))
		c.Begin(after(0))
		c.Pod(after(2), joined, false) // its pods may come first
		c.Node(after(3), new(node(t, func(n *corev1.Node) { n.Name = joined.Spec.NodeName })))
	}
	record.Pod(after(8), ready, false)
	seen.Node(after(1), new(node(t, func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: "NoSchedule"}} })))
	if got := likeness.Differences(record.Lines(), record.Lines()); len(got) > 0 {
		t.Errorf("the same: %q", got)
	}
	want := []string{"+ Node: Ready → Ready k:NoSchedule", "- pod kube-apiserver: not ready → ready"}
	if got := likeness.Differences(record.Lines(), seen.Lines()); !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
	both := likeness.Merge(likeness.Merge(nil, record.Lines()), seen.Lines())
	for _, lines := range [][]string{record.Lines(), seen.Lines()} {
		if got := likeness.Differences(both, lines); len(got) > 0 {
			t.Errorf("both were recorded: %q", got)
		}
		if again := likeness.Merge(both, lines); !slices.Equal(again, both) {
			t.Errorf("%q, wanted %q", again, both)
		}
	}
	if got := likeness.Differences(both, nil); len(got) != len(both)-2 {
		t.Errorf("%q, wanted all but two of %q", got, both)
	}
	delays := []string{
		"joined Node: gone → Ready: 1 times, after 3.0 to 3.0 s",
		"joined pod kube-apiserver: gone → not ready: 1 times, after 2.0 to 2.0 s",
		"lease kube-controller-manager: held → free: 1 times, after 9.0 to 9.0 s",
		"pod kube-apiserver: gone → not ready: 1 times, after 1.0 to 1.0 s",
		"pod kube-apiserver: not ready → ready: 1 times, after 2.0 to 2.0 s",
		"pod kube-apiserver: ready → gone: 1 times, after 5.0 to 5.0 s",
	}
	if got := record.Delays(); !slices.Equal(got, delays) {
		t.Errorf("%q, wanted %q", got, delays)
	}
}
