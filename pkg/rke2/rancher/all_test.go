package rancher_test

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// The list includes Clusters whose configuration cannot be read.
func TestListClusters(t *testing.T) {
	client := rancherfixture.Client(t, nil)
	all, err := rancher.ListClusters(t.Context(), client, "")
	if err != nil || len(all) != 1 || all[0].Name != "demo" || all[0].ManagementID != "c-m-1" || all[0].Err != nil {
		t.Fatalf("%+v, %v", all, err)
	}
	if none, err := rancher.ListClusters(t.Context(), client, "elsewhere"); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	broken := rancherfixture.Client(t, func(all map[string]rancherfixture.Object) {
		all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineGlobalConfig"] = "text"
	})
	all, err = rancher.ListClusters(t.Context(), broken, "fleet-default")
	if err != nil || len(all) != 1 || all[0].Name != "demo" || !fault.HasReason(all[0].Err, "BadField") {
		t.Errorf("%+v, %v", all, err)
	}
	for _, tt := range []struct {
		answer error
		class  fault.Class
		reason string
	}{
		{apierrors.NewNotFound(schema.GroupResource{}, ""), fault.Usage, migration.ReasonNotRancher},
		{apierrors.NewForbidden(schema.GroupResource{}, "", nil), fault.CouldNotLook, fault.ReasonForbidden},
	} {
		client.PrependReactor("list", "clusters", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, tt.answer })
		if _, err := rancher.ListClusters(t.Context(), client, ""); fault.ClassOf(err) != tt.class || !fault.HasReason(err, tt.reason) {
			t.Errorf("%v: %v", tt.answer, err)
		}
	}
}

// Providers of workers only count if no control plane is known.
func TestManagerProviders(t *testing.T) {
	plane := func(name string) rancher.Machine {
		return rancher.Machine{Machine: config.Machine{Name: name, Labels: map[string]string{config.LabelControlPlane: "true", "name": name}}}
	}
	for name, tt := range map[string]struct {
		spec     string
		machines []rancher.Machine
		pools    []config.Pool
		want     string
	}{
		"none":                          {"", []rancher.Machine{plane("a")}, nil, ""},
		"in-tree":                       {"aws", []rancher.Machine{plane("a"), plane("b")}, nil, "aws"},
		"in a pool that has no Machine": {"aws", nil, []config.Pool{{Name: "cp", ControlPlane: true}}, "aws"},
		"of another control plane":      {"aws", []rancher.Machine{plane("a"), plane("other")}, nil, "aws, external"},
		"a worker is not asked":         {"aws", []rancher.Machine{{Machine: config.Machine{Name: "w", Labels: map[string]string{"name": "other"}}}}, []config.Pool{{Name: "cp", ControlPlane: true}}, "aws"},
		"no control plane is known":     {"aws", nil, []config.Pool{{Name: "w", Worker: true}}, "aws"},
	} {
		global := map[string]any{}
		if tt.spec != "" {
			global["cloud-provider-name"] = tt.spec
		}
		object := object{"kind": "Cluster", "metadata": object{"name": "demo"}, "spec": object{"rkeConfig": object{"machineGlobalConfig": global,
			"machineSelectorConfig": []any{object{"config": object{"cloud-provider-name": "external"}, "machineLabelSelector": object{"matchLabels": object{"name": "other"}}}}}}}
		spec, err := config.Parse(object)
		if err != nil {
			t.Fatal(err)
		}
		spec.Pools = tt.pools
		got := rancher.Facts{Cluster: rancher.Cluster{Spec: spec}, Machines: tt.machines}.ManagerProviders()
		if strings.Join(got, ", ") != tt.want || slices.Contains(got, "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestK3s(t *testing.T) {
	for version, is := range map[string]bool{"v1.28.4+k3s2": true, "v1.28.4+rke2r1": false, "": false} {
		if got := (rancher.Cluster{Spec: config.Spec{KubernetesVersion: version}}).K3s(); got != is {
			t.Errorf("%q: %t", version, got)
		}
	}
}
