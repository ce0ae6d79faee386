package managed

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

func TestList(t *testing.T) {
	client := fakeRancher(t, func(cluster map[string]any) {
		cluster["status"].(map[string]any)["version"] = map[string]any{"gitVersion": "v1.26.9"}
	})
	all, err := List(t.Context(), client)
	if err != nil || len(all) != 1 || all[0].ID != "c-1" || all[0].Version != "v1.26.9" || !all[0].ByRKE() {
		t.Fatalf("%+v, %v", all, err)
	}
	deny(client, "list", clusters, nil, apierrors.NewNotFound(schema.GroupResource{}, ""))
	if _, err := List(t.Context(), client); fault.ClassOf(err) != fault.Usage || !fault.HasReason(err, migration.ReasonNotRancher) {
		t.Errorf("%v", err)
	}
	deny(client, "list", clusters, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil))
	if _, err := List(t.Context(), client); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("%v", err)
	}
}

// The provider is the one that rke derives. A configured version precedes the API server's.
func TestCluster_listed_providerAndVersion(t *testing.T) {
	with := func(provider map[string]any) Cluster {
		return Cluster{ID: "c-1", Driver: driverRKE, Version: "v1.26.9", Config: map[string]any{"kubernetesVersion": "v1.26.15-rancher1-1", "cloudProvider": provider}}
	}
	for name, tt := range map[string]struct {
		cluster  Cluster
		provider string
		version  string
		by       bool
	}{
		"in-tree":         {with(map[string]any{"name": "aws"}), "aws", "v1.26.15-rancher1-1", true},
		"by its block":    {with(map[string]any{"name": "external-aws", "awsCloudProvider": map[string]any{}}), "aws", "v1.26.15-rancher1-1", true},
		"external":        {with(map[string]any{"name": "external-aws"}), "external-aws", "v1.26.15-rancher1-1", true},
		"none":            {with(nil), "", "v1.26.15-rancher1-1", true},
		"nothing said":    {Cluster{ID: "c-1", Config: map[string]any{}, Version: "v1.26.9"}, "", "v1.26.9", true},
		"imported":        {Cluster{ID: "c-1", Driver: "imported", Version: "v1.27.9"}, "", "v1.27.9", false},
		"the local one":   {Cluster{ID: "local", Config: map[string]any{}}, "", "", false},
		"marked internal": {Cluster{ID: "c-1", Internal: true, Config: map[string]any{}}, "", "", false},
	} {
		provider, err := tt.cluster.Provider()
		if err != nil || provider != tt.provider || tt.cluster.KubernetesVersion() != tt.version || tt.cluster.ByRKE() != tt.by {
			t.Errorf("%s: %q, %v, %s, %t", name, provider, err, tt.cluster.KubernetesVersion(), tt.cluster.ByRKE())
		}
		if local := name == "the local one" || name == "marked internal"; tt.cluster.Local() != local {
			t.Errorf("%s: local %t", name, tt.cluster.Local())
		}
	}
	if owners := (Cluster{}).Owners(); owners != nil {
		t.Errorf("%v", owners)
	}
	if owners := (Cluster{Template: "ctr-1"}).Owners(); len(owners) != 1 || owners[0] != (migration.Owner{Name: "RKE template", Mark: "revision ctr-1"}) {
		t.Errorf("%v", owners)
	}
}
