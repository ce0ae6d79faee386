package viarancher

import (
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Any host, port and path may precede Rancher's path of the cluster. A Cluster without an ID
// has no path yet.
func TestAddressesThatRancherWrites(t *testing.T) {
	for _, tt := range []struct {
		host, id string
		ok       bool
	}{
		{"https://10.43.0.7/k8s/clusters/c-m-1", "c-m-1", true}, // the ClusterIP of its Service
		{"https://rancher.example:8443/k8s/clusters/c-7kq2x", "c-7kq2x", true},
		{"https://example.org/rancher/k8s/clusters/c-m-1/", "c-m-1", true},
		{"https://10.43.0.7/k8s/clusters/", "", false},
		{"https://10.43.0.7/k8s/clusters/local", "c-m-1", false},
		{"https://10.43.0.7/K8s/clusters/c-m-1", "c-m-1", false},
		{"https://10.43.0.7", "c-m-1", false},
		{"https://%zz/k8s/clusters/c-m-1", "c-m-1", false},
	} {
		err := StoredKubeconfig{Namespace: "a", Name: "b", ID: tt.id}.checkAddress(tt.host)
		if (err == nil) != tt.ok || err != nil && !fault.HasReason(err, ReasonRefused) {
			t.Errorf("%s for %q: %v", tt.host, tt.id, err)
		}
	}
}

func TestStoredKubeconfigConfig_noSecret_couldNotLook(t *testing.T) {
	_, err := StoredKubeconfig{Kube: fake.NewClientset(), Namespace: "fleet-default", Name: "demo", ID: "c-m-1", Clock: clock.RealClock{}}.Config(t.Context())
	if f, ok := fault.As(err); !ok || f.Class != fault.CouldNotLook || f.Object != "Secret fleet-default/demo-kubeconfig" {
		t.Errorf("%v", err)
	}
}
