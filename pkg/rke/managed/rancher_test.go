package managed

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// fakeRancher returns a fake Rancher with the Cluster c-1, named demo. It has no RBAC, no object
// versions, and no controllers.
func fakeRancher(t *testing.T, change func(cluster map[string]any)) *dynamicfake.FakeDynamicClient {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(apiruntime.NewScheme(),
		map[schema.GroupVersionResource]string{clusters: "ClusterList", nodes: "NodeList", secrets: "SecretList"})
	config := uiConfig()
	config["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{"global": map[string]any{"vpc": "vpc-1"}}
	yes := func(kind string) any { return map[string]any{"type": kind, "status": "True"} }
	cluster := map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": "c-1", "resourceVersion": "7"},
		"spec": map[string]any{"displayName": "demo", rkeConfigKey: config},
		"status": map[string]any{"driver": driverRKE, "appliedSpec": map[string]any{rkeConfigKey: apiruntime.DeepCopyJSON(config)},
			"conditions": []any{yes("Updated"), yes("Provisioned"), yes("Ready")}}}
	if change != nil {
		change(cluster)
	}
	node := func(name, address string, roles ...any) map[string]any {
		return map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Node", "metadata": map[string]any{"namespace": "c-1", "name": name},
			"status": map[string]any{"rkeNode": map[string]any{"address": address, "role": roles}, "appliedNodeVersion": int64(2),
				"nodePlan": map[string]any{"version": int64(2), "plan": map[string]any{"processes": map[string]any{"kubelet": map[string]any{"command": []any{"entrypoint"}, "args": []any{"--v=2"}}}}}}}
	}
	for resource, all := range map[schema.GroupVersionResource][]map[string]any{clusters: {cluster}, nodes: {node("m-0", "10.0.0.10", "controlplane"), node("m-3", "10.0.0.13", "worker")}} {
		for _, o := range all {
			u := &unstructured.Unstructured{Object: o}
			if err := client.Tracker().Create(resource, u, u.GetNamespace()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return client
}

// newMigration returns a migration of that cluster.
func newMigration(t *testing.T, options rke.Options, change func(cluster map[string]any)) (testMigration, *dynamicfake.FakeDynamicClient) {
	t.Helper()
	client := fakeRancher(t, change)
	options.Cluster, options.InstallMethod = "demo", migration.InstallHelm
	m, err := New(t.Context(), Deps{Management: client, Kube: rkefixture.API(t), Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}, "c-1", options)
	if err != nil {
		t.Fatal(err)
	}
	p := testMigration{m.Backend.(*Backend), m}
	p.Names = &naming.Rule{UseMetadata: true}
	return p, client
}

// testMigration holds a migration and its backend.
type testMigration struct {
	*Backend
	migration *procedure.Migration
}

func (p testMigration) observe(t *testing.T, record journal.Record) migration.Snapshot {
	t.Helper()
	snap, err := p.migration.Observe(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func configIn(t *testing.T, client *dynamicfake.FakeDynamicClient) map[string]any {
	t.Helper()
	cluster, err := client.Resource(clusters).Get(t.Context(), "c-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, _, _ := unstructured.NestedMap(cluster.Object, "spec", rkeConfigKey)
	return config
}

func deny(client *dynamicfake.FakeDynamicClient, verb string, resource schema.GroupVersionResource, answer apiruntime.Object, err error) {
	client.PrependReactor(verb, resource.Resource, func(clienttesting.Action) (bool, apiruntime.Object, error) { return true, answer, err })
}

// The snapshot combines Rancher's objects and rke's state.
func TestObserve(t *testing.T) {
	m, _ := newMigration(t, rke.Options{}, func(cluster map[string]any) {
		cluster["spec"].(map[string]any)["clusterTemplateRevisionName"] = "ctr-1"
		cluster["metadata"].(map[string]any)["annotations"] = map[string]any{"other": "x"}
	})
	snap := m.observe(t, journal.Record{})
	c, r := clusterOf(snap), snap.Reading
	if c.ID != "c-1" || c.DisplayName != "demo" || c.ResourceVersion != "7" || c.Driver != driverRKE || c.Provisioned || c.Deleting || c.Failed != nil || len(c.Applied) == 0 || c.Conditions["Ready"].Status != "True" {
		t.Errorf("%+v", c)
	}
	want := []Node{{Name: "m-0", Address: "10.0.0.10", Role: []string{"controlplane"}, PlanVersion: 2, AppliedVersion: 2, Kubelet: []string{"entrypoint", "--v=2"}},
		{Name: "m-3", Address: "10.0.0.13", Role: []string{"worker"}, PlanVersion: 2, AppliedVersion: 2, Kubelet: []string{"entrypoint", "--v=2"}}}
	if d := cmp.Diff(want, c.Nodes); d != "" {
		t.Error(d)
	}
	if r.Object != "Cluster c-1 (demo)" || len(r.Owners) != 1 || r.Owners[0].Mark != "revision ctr-1" || r.CountControlPlanes() != 3 || len(r.Members) != 5 || len(r.KCMs) != 3 || len(r.Pending) != 0 || snap.Result.Position != position.P0 {
		t.Errorf("%+v, at %s", r, snap.Result.Position)
	}
	if header := strings.Join(m.Header(snap), "\n"); !strings.Contains(header, "demo   c-1 · RKE v1.26.9-rancher1-1 managed by Rancher · 3 control planes, 2 workers") || !strings.Contains(header, "names  useInstanceMetadataHostname: true") {
		t.Error(header)
	}
	if said, err := m.PauseRollout(t.Context(), nil, snap, nil); err != nil || !strings.Contains(said, "cannot pause") {
		t.Errorf("%q, %v", said, err)
	}
	m.Names = nil
	if len(m.Header(snap)) != 2 {
		t.Errorf("%q", m.Header(snap))
	}
	if err := (observed{cluster: Cluster{Internal: true}}).Combine(downstream.Cluster{}).Unsupported; err == nil {
		t.Error("Rancher's own cluster is supported")
	}
	if _, err := m.read(clustertest.Canceled(t)); err == nil {
		t.Error("a look that was ended has no error")
	}
}
