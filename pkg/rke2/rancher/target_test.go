package rancher

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

func TestProveTarget(t *testing.T) {
	machine := func(uid, node string) Machine {
		return Machine{Machine: config.Machine{Name: uid, UID: uid}, NodeName: node}
	}
	for _, tt := range []struct {
		name     string
		machines []Machine
		nodes    []string // Machine UIDs in the labels of Nodes
		proven   bool
	}{
		{"all", []Machine{machine("a", "1"), machine("b", "2")}, []string{"a", "b"}, true},
		{"one was deleted", []Machine{machine("a", "1"), machine("b", "2")}, []string{"b"}, true},
		{"none: another cluster", []Machine{machine("a", "1"), machine("b", "2")}, []string{"c", "d"}, false},
		{"one that has no Node yet proves nothing", []Machine{machine("a", "1"), machine("b", "")}, []string{"c"}, false},
		{"no Machines", nil, []string{"a"}, false},
	} {
		uids := map[string]string{}
		for _, uid := range tt.nodes {
			uids[uid] = "node of " + uid
		}
		err := ProveTarget(tt.machines, uids, "Cluster x")
		if (err == nil) != tt.proven || err != nil && fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// An imported cluster has no kubeconfig Secret; the error must name the cluster instead.
func TestDownstreamConfig_importedCluster_refused(t *testing.T) {
	imported := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "old", "namespace": "fleet-default"}, "spec": map[string]any{}}}
	_, err := DownstreamConfig(t.Context(), &rest.Config{Host: "https://rancher/k8s/clusters/local"}, fake.NewSimpleClientset(), imported, clock.RealClock{})
	if f, ok := fault.As(err); !ok || f.Class != fault.Check || f.Reason != "NotProvisioned" || f.Object != "Cluster fleet-default/old" {
		t.Errorf("got %v", err)
	}
}

func TestSuggestCluster(t *testing.T) {
	names := []string{"fleet-default/demo", "fleet-default/prod", "shop/web"}
	for asked, want := range map[[2]string]string{
		{"fleet-default", "dmeo"}: "did you mean demo?",
		{"fleet-default", "web"}:  "did you mean --namespace shop?",
		{"fleet-default", "abcd"}: "",
		{"shop", "weeb"}:          "did you mean web?",
		{"empty", "dmeo"}:         "",
	} {
		if got := suggestCluster(asked[0], asked[1], names); got != want {
			t.Errorf("%v: %q, want %q", asked, got, want)
		}
	}
}
