package rke2checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

func TestRegistries(t *testing.T) {
	planes := &metav1.LabelSelector{MatchLabels: map[string]string{config.LabelControlPlane: "true"}}
	entry := func(registry any, selector *metav1.LabelSelector) config.Entry {
		return config.Entry{HasConfig: true, Selector: selector, Config: map[string]any{config.KeyRegistry: registry}}
	}
	for name, tt := range map[string]struct {
		breaks func(*Prepared)
		want   map[string]string // registry by object
	}{
		"none":   {func(*Prepared) {}, map[string]string{"Cluster fleet-default/demo": ""}},
		"global": {func(p *Prepared) { p.Cluster.Spec.Global[config.KeyRegistry] = "a.local" }, map[string]string{"Cluster fleet-default/demo": "a.local"}},
		"an entry for all": {func(p *Prepared) {
			p.Cluster.Spec.Entries = []config.Entry{entry("a.local", nil), entry("b.local", nil)}
		}, map[string]string{"Cluster fleet-default/demo": "a.local"}},
		"an entry for control planes": {func(p *Prepared) { p.Cluster.Spec.Entries = []config.Entry{entry("a.local", planes)} }, map[string]string{"Cluster fleet-default/demo": "a.local"}},
		"on servers the cluster's value wins": {func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyRegistry] = "a.local"
			p.Cluster.Spec.Entries = []config.Entry{entry("b.local", planes)}
		}, map[string]string{"Cluster fleet-default/demo": "a.local"}},
		"Rancher's setting": {func(p *Prepared) {
			for i := range p.Down.Nodes {
				p.Down.Nodes[i].Annotations[config.NodeArgsAnnotation] = `["server","--system-default-registry","a.local"]`
			}
		}, map[string]string{"Cluster fleet-default/demo": "a.local"}},
		"one control plane": {func(p *Prepared) {
			p.Machines = p.Machines[:1]
		}, map[string]string{"Cluster fleet-default/demo": ""}},
		"one differs": {func(p *Prepared) {
			p.Machines[1].Labels["pool"] = "b"
			p.Cluster.Spec.Entries = []config.Entry{entry("a.local", planes), entry("b.local", &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "b"}})}
		}, map[string]string{"Machine demo-0": "a.local", "Machine demo-1": "b.local", "Machine demo-2": "a.local"}},
	} {
		p := sound()
		for i := range 3 {
			p.Machines[i].Labels = map[string]string{config.LabelControlPlane: "true", config.LabelEtcd: "true"}
		}
		tt.breaks(p)
		got := map[string]string{}
		for _, r := range Registries(p.Facts, rancher.NodesByMachine(p.Down)) {
			got[r.Object] = r.Default
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestRegistries_clusterMirrors_read(t *testing.T) {
	spec, err := config.Parse(map[string]any{"kind": "Cluster", "metadata": map[string]any{"name": "demo"}, "spec": map[string]any{"rkeConfig": map[string]any{
		"registries": map[string]any{"mirrors": map[string]any{"*": map[string]any{
			"endpoint": []any{"https://robot:hunter@harbor.local/v2/k8s"}, "rewrite": map[string]any{"^(.*)": "m/$1"}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	p := sound()
	p.Cluster.Spec.Mirrors = spec.Mirrors
	got := Registries(p.Facts, nil)[0].Mirrored("registry.k8s.io/ccm:v1")
	if diff := cmp.Diff([]string{"harbor.local/k8s/m/ccm:v1"}, got); diff != "" {
		t.Error(diff)
	}
}
