package rancher

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// The mark of Helm is its release, the mark of other owners their label or annotation.
func TestOwners_annotations_marks(t *testing.T) {
	c := Cluster{Annotations: map[string]string{"meta.helm.sh/release-name": "shop"}, Managers: []string{"Terraform-Provider"}}
	var got []string
	for _, o := range c.Owners() {
		got = append(got, o.String())
	}
	if !slices.Equal(got, []string{"Helm (release shop)", "Terraform (field manager Terraform-Provider)"}) {
		t.Error(got)
	}
}

// Writers of the status do not count.
func TestSpecManagers(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "terraform"}, {Manager: "rancher", Subresource: "status"}, {Manager: ""}, {Manager: "kubectl"}})
	if got := specManagers(object); !slices.Equal(got, []string{"terraform", "kubectl"}) {
		t.Error(got)
	}
}

func TestOwners(t *testing.T) {
	for name, tt := range map[string]struct {
		cluster Cluster
		want    []string
	}{
		"no owner":   {Cluster{Managers: []string{"rancher", "awsmigrate", "kubectl-edit"}, Labels: map[string]string{"team": "a"}}, nil},
		"Terraform":  {Cluster{Managers: []string{"Terraform"}}, []string{"terraform"}},
		"Helm":       {Cluster{Annotations: map[string]string{"meta.helm.sh/release-name": "clusters"}}, []string{"helm"}},
		"Argo CD":    {Cluster{Annotations: map[string]string{"argocd.argoproj.io/tracking-id": "x"}}, []string{"argocd"}},
		"Flux":       {Cluster{Managers: []string{"kustomize-controller"}}, []string{"flux"}},
		"once":       {Cluster{Labels: map[string]string{"objectset.rio.cattle.io/hash": "x"}, Managers: []string{"fleetagent"}}, []string{"fleet"}},
		"Fleet+Helm": {Cluster{Labels: map[string]string{"objectset.rio.cattle.io/hash": "x"}, Annotations: map[string]string{"meta.helm.sh/release-name": "r"}}, []string{"fleet", "helm"}},
		"others":     {Cluster{Managers: []string{"crossplane-kubernetes", "pulumi-kubernetes"}}, []string{"crossplane", "pulumi"}},
	} {
		var words []string
		for _, o := range tt.cluster.Owners() {
			words = append(words, o.Word())
			if !slices.Contains(migration.KnownOwners(), o.Name) || o.Mark == "" {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if !slices.Equal(words, tt.want) {
			t.Errorf("%s: %v, wanted %v", name, words, tt.want)
		}
	}
}
