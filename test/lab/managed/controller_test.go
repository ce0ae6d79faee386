package managed

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	gvr "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// newRegistered returns a Cluster with a control plane and a worker. The fake API server has no
// separate status subresource.
func newRegistered(applied bool) *fake.FakeDynamicClient {
	cluster := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": "c-1"}, "spec": map[string]any{configKey: map[string]any{
			"kubernetesVersion": "v1.26.9-rancher1-1", "cloudProvider": map[string]any{"name": "external-aws"}}}}}
	node := func(name, address string, roles ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Node",
			"metadata": map[string]any{"name": name, "namespace": "c-1"},
			"status":   map[string]any{"rkeNode": map[string]any{"nodeName": "c-1:" + name, "address": address, "user": "root", "role": roles}}}}
	}
	objects := []runtime.Object{cluster, node("m-1", "1.2.3.4", "controlplane", "etcd"), node("m-2", "1.2.3.5", "worker")}
	if applied {
		cluster.Object["status"] = map[string]any{"appliedSpec": map[string]any{configKey: map[string]any{}}, "nodeVersion": int64(1)}
	}
	return fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[gvr.GroupVersionResource]string{
		Clusters(): "ClusterList", Nodes(): "NodeList"}, objects...)
}

// A failed rke leaves the configuration unapplied, and its error is in the status.
func TestFailureIsTold(t *testing.T) {
	client := newRegistered(true)
	c := &Controller{ID: "c-1", Management: client, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler),
		Timing: Timing{FalseUpdated: time.Millisecond, WorkerDelay: time.Millisecond}.withDefaults(),
		Engine: func(rke.Planes) *rke.Engine {
			return &rke.Engine{Release: "v1.5.10", ClusterFile: t.TempDir() + "/cluster.yml", Clock: clock.RealClock{}, Log: &rke.Log{Out: t.Output(), Now: time.Now}}
		}}
	if err := c.pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	o, err := client.Resource(Clusters()).Get(t.Context(), "c-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	failed, _, _ := unstructured.NestedString(o.Object, "status", "failedSpec", configKey, "cloudProvider", "name")
	applied, _, _ := unstructured.NestedString(o.Object, "status", "appliedSpec", configKey, "cloudProvider", "name")
	if conditionStatus(o, "Updated") != "False" || failed != "external-aws" || applied != "" {
		t.Errorf("status is %v", o.Object["status"])
	}
	if updated := history(client); !slices.Equal(updated, []string{"Unknown", "True", "Unknown", "False"}) {
		t.Errorf("Updated went %v: the first True is the false one", updated)
	}
	before := len(client.Actions())
	if err := c.pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if written := len(history(client)); written != 4 {
		t.Errorf("the same configuration was tried again at once (%d actions before)", before)
	}
}

// history returns the values that condition Updated had.
func history(client *fake.FakeDynamicClient) []string {
	var out []string
	for _, action := range client.Actions() {
		if update, ok := action.(interface{ GetObject() runtime.Object }); ok {
			if o, ok := update.GetObject().(*unstructured.Unstructured); ok && o.GetKind() == "Cluster" {
				out = append(out, conditionStatus(o, "Updated"))
			}
		}
	}
	return out
}

// A worker has the old plan until it gets a new one.
func TestWorkersHavePlansOfTheirOwn(t *testing.T) {
	client := newRegistered(true)
	c := &Controller{ID: "c-1", Management: client, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler),
		Engine: func(rke.Planes) *rke.Engine { return &rke.Engine{Release: "v1.5.10"} }}
	nodes, err := c.nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := client.Resource(Clusters()).Get(context.Background(), "c-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := wantedConfig(cluster, nodes)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := kubelets("v1.5.10", want)
	if err != nil || !slices.Contains(plans["1.2.3.5"], any("--cloud-provider=external")) {
		t.Fatalf("the worker's kubelet is %v, %v", plans["1.2.3.5"], err)
	}
	worker := slices.IndexFunc(nodes, func(n unstructured.Unstructured) bool { return workerOnly(&n) })
	if worker < 0 || hasPlan(&nodes[worker], plans["1.2.3.5"]) {
		t.Fatal("a worker without a plan counts as up to date")
	}
	if err := c.notePlans(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if nodes, err = c.nodes(t.Context()); err != nil || !hasPlan(&nodes[worker], plans["1.2.3.5"]) {
		t.Errorf("its plan was not noted: %v", err)
	}
}
