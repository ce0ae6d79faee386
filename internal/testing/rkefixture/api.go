package rkefixture

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// API returns the fake API of the cluster of plain.yml, with a Node for each host and rke's
// state.
func API(t testing.TB) *fake.Clientset {
	t.Helper()
	client := fake.NewSimpleClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: rkestate.ObjectName}, Data: map[string][]byte{rkestate.ObjectName: File(t, "plain.rkestate")}})
	for _, address := range []string{"10.0.0.10", "10.0.0.11", "10.0.0.12", "10.0.0.13", "10.0.0.14"} {
		labels := map[string]string{corev1.LabelHostname: address}
		if address < "10.0.0.13" {
			labels["node-role.kubernetes.io/controlplane"] = "true"
		}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-" + address, UID: "uid", Labels: labels}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}}}
		if err := client.Tracker().Add(node); err != nil {
			t.Fatal(err)
		}
	}
	client.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, apiruntime.Object, error) {
		return true, a.(clienttesting.CreateAction).GetObject(), nil // the review allows nothing
	})
	return client
}
