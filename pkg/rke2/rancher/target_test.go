package rancher

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
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
		{"fleet-default", "web"}:  "did you mean --cluster shop/web?",
		{"fleet-default", "abcd"}: "",
		{"shop", "weeb"}:          "did you mean web?",
		{"empty", "dmeo"}:         "",
	} {
		if got := suggestCluster(asked[0], asked[1], names); got != want {
			t.Errorf("%v: %q, want %q", asked, got, want)
		}
	}
}

// A cluster may be named by the id in Rancher's URLs, in any namespace. The cluster Rancher runs in is
// not suggested.
func TestResolveName_nameOrID_returnsTheObject(t *testing.T) {
	cluster := func(namespace, name, id string) runtime.Object {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
			"metadata": map[string]any{"namespace": namespace, "name": name}, "status": map[string]any{"clusterName": id}}}
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{clustersGVR: "ClusterList"},
		cluster("fleet-default", "demo", "c-m-rp75n57h"), cluster("team", "prod", "c-m-aaaaaaaa"), cluster("team", "a", "c-m-twicetwi"), cluster("shop", "b", "c-m-twicetwi"),
		cluster("fleet-local", "local", "local"))
	for asked, want := range map[string]string{
		"demo": "fleet-default/demo", "c-m-rp75n57h": "fleet-default/demo", "c-m-aaaaaaaa": "team/prod", "absent": "fleet-default/absent",
		"c-m-bbbbbbbb": "no such Cluster", "c-m-twicetwi": "no such Cluster",
	} {
		namespace, name, err := ResolveName(t.Context(), client, "fleet-default", asked)
		got := namespace + "/" + name
		if f, failed := fault.As(err); failed {
			got = f.Seen
		}
		if got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
	_, err := FindCluster(t.Context(), client, "fleet-default", "local")
	if f, ok := fault.As(err); !ok || f.Seen != "this is the cluster Rancher itself runs in" || strings.Contains(f.Wanted+f.Fix, "local") {
		t.Errorf("local: %v", err)
	}
}
