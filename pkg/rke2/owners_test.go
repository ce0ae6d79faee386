package rke2

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

func TestOwners(t *testing.T) {
	for name, tt := range map[string]struct {
		cluster Cluster
		want    []string
	}{
		"nobody":     {Cluster{Managers: []string{"rancher", "awsmigrate", "kubectl-edit"}, Labels: map[string]string{"team": "a"}}, nil},
		"Terraform":  {Cluster{Managers: []string{"Terraform"}}, []string{"terraform"}},
		"Helm":       {Cluster{Annotations: map[string]string{"meta.helm.sh/release-name": "clusters"}}, []string{"helm"}},
		"Argo CD":    {Cluster{Annotations: map[string]string{"argocd.argoproj.io/tracking-id": "x"}}, []string{"argocd"}},
		"Flux":       {Cluster{Managers: []string{"kustomize-controller"}}, []string{"flux"}},
		"once":       {Cluster{Labels: map[string]string{"objectset.rio.cattle.io/hash": "x"}, Managers: []string{"fleetagent"}}, []string{"fleet"}},
		"Fleet+Helm": {Cluster{Labels: map[string]string{"objectset.rio.cattle.io/hash": "x"}, Annotations: map[string]string{"meta.helm.sh/release-name": "r"}}, []string{"fleet", "helm"}},
		"others":     {Cluster{Managers: []string{"crossplane-kubernetes", "pulumi-kubernetes"}}, []string{"crossplane", "pulumi"}},
	} {
		var words []string
		for _, o := range owners(tt.cluster) {
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
