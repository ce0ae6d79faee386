package controller

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// An unreadable journal affects only its own cluster: the cluster counts as having one, and all
// others are found.
func TestFindJournals_oneUnread_othersAreFound(t *testing.T) {
	keeps := func(namespace, cluster string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: journal.Name(cluster), Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}},
			Data: map[string]string{"sha256": "", "journal.json": "{}"}}
	}
	plans := keeps("n", "prod")
	plans.Name = wellknown.ObjectName(wellknown.Plans, "prod")
	client := fake.NewClientset(keeps("n", "prod"), keeps("n", "prod-plan"), plans, keeps("c-aaaaa", "c-aaaaa"), keeps("c-ccccc", "c-ccccc"))
	client.PrependReactor("get", "configmaps", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if a.GetNamespace() == "c-bbbbb" {
			return true, nil, errors.New("etcdserver: request is too large")
		}
		return false, nil, nil
	})
	c := &Controller{kube: client}
	found, err := c.findJournals(t.Context(), "n", []string{"prod", "c-aaaaa", "c-bbbbb", "c-ccccc", "c-ddddd"})
	if err != nil {
		t.Fatal(err)
	}
	unread := map[string]bool{}
	for _, j := range found {
		unread[j.cluster.Name] = j.unread != nil
	}
	want := map[string]bool{"prod": false, "prod-plan": false, "c-aaaaa": false, "c-bbbbb": true, "c-ccccc": false}
	for name, is := range want {
		if got, there := unread[name]; !there || got != is {
			t.Errorf("%s: found %t, unread %t", name, there, got)
		}
	}
	if len(found) != len(want) {
		t.Errorf("%+v", found)
	}
}
