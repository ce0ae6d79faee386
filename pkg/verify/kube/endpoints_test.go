package kube

import (
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Endpoints counts the ready ones of exactly the given Services, and the documented role allows it.
func endpoints(t *testing.T, server *apiserver.Server, admin kubernetes.Interface) {
	t.Helper()
	slice := func(name, service string, ready ...*bool) {
		t.Helper()
		s := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "web", Labels: map[string]string{discoveryv1.LabelServiceName: service}}, AddressType: discoveryv1.AddressTypeIPv4}
		for _, r := range ready {
			s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{"10.1.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: r}})
		}
		if _, err := admin.DiscoveryV1().EndpointSlices("web").Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	slice("front-1", "front", ptr.To(true), ptr.To(false))
	slice("front-2", "front", nil)
	slice("other-1", "other", ptr.To(true))
	reader, err := New(server.As("auditor"), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	got := reader.Endpoints(t.Context(), []downstream.Service{{Namespace: "web", Name: "front"}, {Namespace: "web", Name: "idle"}})
	if !got.OK() || len(got.Value) != 2 || got.Value["web/front"] != 2 || got.Value["web/idle"] != 0 {
		t.Errorf("%+v", got)
	}
}
