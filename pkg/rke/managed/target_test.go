package managed

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func TestNew_cluster_error(t *testing.T) {
	refused := func(resource string) func(*fake.Clientset) {
		return func(c *fake.Clientset) {
			c.PrependReactor("*", resource, func(clienttesting.Action) (bool, apiruntime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", nil)
			})
		}
	}
	for name, tt := range map[string]struct {
		objects func(*dynamicfake.FakeDynamicClient)
		cluster func(*fake.Clientset)
		reason  string
	}{
		"it is": {nil, nil, ""},
		"none of its hosts": {func(c *dynamicfake.FakeDynamicClient) {
			deny(c, "list", nodes, &unstructured.UnstructuredList{}, nil)
		}, nil, "WrongTarget"},
		"no such Cluster": {func(c *dynamicfake.FakeDynamicClient) {
			deny(c, "get", clusters, nil, apierrors.NewNotFound(schema.GroupResource{}, "c-1"))
		}, nil, "NotFound"},
		"no Nodes": {func(c *dynamicfake.FakeDynamicClient) {
			deny(c, "list", nodes, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil))
		}, nil, fault.ReasonForbidden},
		"no state":       {nil, refused("secrets"), fault.ReasonForbidden},
		"no identity":    {nil, refused("namespaces"), fault.ReasonForbidden},
		"no Nodes of it": {nil, refused("nodes"), fault.ReasonForbidden},
	} {
		client, cluster := fakeRancher(t, nil), rkefixture.API(t)
		if tt.objects != nil {
			tt.objects(client)
		}
		if tt.cluster != nil {
			tt.cluster(cluster)
		}
		m, err := New(t.Context(), Deps{Management: client, Kube: cluster, Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}, "c-1", rke.Options{Cluster: "demo", Options: migration.Options{InstallMethod: migration.InstallHelm}})
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err == nil && (m.Target() != journal.Target{Kind: "rke", Name: "c-1", Namespace: "c-1", UID: "the-cluster"} || len(m.Steps()) != 10 || len(m.Undo().Steps()) != 8) {
			t.Errorf("%s: %+v, %d steps", name, m.Target(), len(m.Steps()))
		}
	}
}

// The name must be unique, and Rancher must run rke for the cluster.
func TestFind(t *testing.T) {
	add := func(client *dynamicfake.FakeDynamicClient, id, name string) {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": id}, "spec": map[string]any{"displayName": name}}}
		if err := client.Tracker().Create(clusters, u, ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		asked  string
		err    error
		id     string
		reason string
		seen   string
	}{
		"by its id":            {"c-1", nil, "c-1", "", ""},
		"by its name":          {"demo", nil, "c-1", "", ""},
		"two of a name":        {"twice", nil, "", "AmbiguousCluster", "2 clusters are called so: c-2 (twice), c-3 (twice)"},
		"none":                 {"other", nil, "", migration.ReasonClusterNotFound, ""},
		"an id without a list": {"c-1", apierrors.NewForbidden(schema.GroupResource{}, "", nil), "c-1", "", ""},
		"one not made by rke":  {"c-2", nil, "c-2", ReasonNotRKE, ""},
		"no Rancher":           {"demo", apierrors.NewNotFound(schema.GroupResource{}, ""), "", migration.ReasonNotRancher, ""},
		"it may not be read":   {"demo", apierrors.NewForbidden(schema.GroupResource{}, "", nil), "", fault.ReasonForbidden, ""},
	} {
		client := fakeRancher(t, nil)
		add(client, "c-3", "twice")
		add(client, "c-2", "twice")
		if tt.err != nil {
			deny(client, "list", clusters, nil, tt.err)
		}
		got, err := Find(t.Context(), client, tt.asked)
		if f, ok := fault.As(err); got.ID != tt.id || clustertest.ReasonOf(err) != tt.reason || ok && !strings.Contains(f.Seen, tt.seen) {
			t.Errorf("%s: %q, %v", name, got.ID, err)
		}
	}
}

func TestNew_neverApplied_refused(t *testing.T) {
	p, _ := newMigration(t, rke.Options{}, nil)
	config := p.observe(t, journal.Record{}).Config.(observed)
	if err := config.Combine(downstream.Cluster{}).Unsupported; err != nil {
		t.Errorf("the cluster that is there: %v", err)
	}
	local := config
	local.cluster.Internal = true
	if got := clustertest.ReasonOf(local.Combine(downstream.Cluster{}).Unsupported); got != "LocalCluster" {
		t.Errorf("Rancher's own: %q", got)
	}
	config.State.Current.Known = false
	if got := clustertest.ReasonOf(config.Combine(downstream.Cluster{}).Unsupported); got != "NeverApplied" {
		t.Errorf("%q", got)
	}
}

// The error suggests a cluster with a similar name.
func TestFind_typo_suggestion(t *testing.T) {
	all := []Cluster{{ID: "c-7kq2x", DisplayName: "demo"}, {ID: "c-m4v9p"}}
	for name, want := range map[string]string{"dmeo": "did you mean demo?", "c-7kq2y": "did you mean c-7kq2x?", "other-one": "check --cluster"} {
		_, err := choose(all, name)
		if f, ok := fault.As(err); !ok || f.Fix != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
