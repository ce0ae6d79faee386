package rancher

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

type vector struct {
	Name     string     `json:"name"`
	Source   string     `json:"source"`
	Spec     userConfig `json:"spec"`
	Machines []struct {
		Name      string            `json:"name"`
		Labels    map[string]string `json:"labels"`
		Effective map[string]any    `json:"effective"`
		Filtered  map[string]any    `json:"filtered"`
	} `json:"machines"`
}

func TestMergeVectors(t *testing.T) {
	data, err := os.ReadFile("../vectors/rke2-merge.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := yaml.UnmarshalStrict(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 20 {
		t.Fatalf("read %d vectors, wanted at least 20", len(vectors))
	}
	for _, v := range vectors {
		if v.Source == "" {
			t.Errorf("%s: no source", v.Name)
		}
		for _, m := range v.Machines {
			t.Run(v.Name+"/"+m.Name, func(t *testing.T) {
				got, err := merge(v.Spec, m.Labels)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(m.Effective, got); d != "" {
					t.Errorf("effective (-want +got):\n%s", d)
				}
				if m.Filtered == nil {
					return
				}
				if d := cmp.Diff(m.Filtered, filter(got, isServer(m.Labels), rke2Arguments(26))); d != "" {
					t.Errorf("filtered (-want +got):\n%s", d)
				}
			})
		}
	}
}

func TestMergeRefusesSelectorOfUnknownOperator(t *testing.T) {
	var spec userConfig
	in := `{machineSelectorConfig: [{config: {a: b}, machineLabelSelector: {matchExpressions: [{key: k, operator: Has}]}}]}`
	if err := yaml.Unmarshal([]byte(in), &spec); err != nil {
		t.Fatal(err)
	}
	_, err := merge(spec, nil)
	if err == nil || !strings.Contains(err.Error(), "machineSelectorConfig[0]") {
		t.Fatalf("got %v, wanted an error that names the entry", err)
	}
}

func TestReleaseFor(t *testing.T) {
	for _, c := range []struct {
		rancher, kubernetes string
		own                 bool // no argument of a newer release is known
	}{
		{"v2.8.5", "v1.26.15+rke2r1", true},
		{"v2.7.5", "v1.26.15+rke2r1", true},
		{"v2.7.4", "v1.26.15+rke2r1", true}, // all that it has are 1.25 and older
		{"v2.8.5", "v1.24.17+rke2r1", false},
		{"v2.9.0", "v1.26.15+rke2r1", false},
		{"v2.12.3", "v1.26.15+rke2r1", false},
		{"v2.9.3", "v1.27.16+rke2r2", false},
	} {
		got, err := releaseFor(c.rancher, c.kubernetes)
		if err != nil {
			t.Errorf("Rancher %s, %s: %v", c.rancher, c.kubernetes, err)
			continue
		}
		for name, kind := range rke2Arguments(26).agent {
			if got.agent[name] != kind {
				t.Errorf("Rancher %s, %s: %s is %q, wanted %q", c.rancher, c.kubernetes, name, got.agent[name], kind)
			}
		}
		for name, kind := range rke2Arguments(26).server {
			if got.server[name] != kind {
				t.Errorf("Rancher %s, %s: %s is %q, wanted %q", c.rancher, c.kubernetes, name, got.server[name], kind)
			}
		}
		if _, newer := got.server["datastore-endpoint"]; newer == c.own {
			t.Errorf("Rancher %s, %s: knows datastore-endpoint of 1.27: %t", c.rancher, c.kubernetes, newer)
		}
	}
	for _, c := range [][2]string{{"v2.8.5", "newest"}, {"head", "v1.26.15+rke2r1"}, {"v2.8.5", "v1.26.15+k3s1"}, {"v2.5.9", "v1.26.15+rke2r1"}} {
		if _, err := releaseFor(c[0], c[1]); err == nil {
			t.Errorf("no error for Rancher %s and %s", c[0], c[1])
		}
	}
}

func TestPoolVectors(t *testing.T) {
	data, err := os.ReadFile("../vectors/rke2-pools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name    string            `json:"name"`
		Source  string            `json:"source"`
		Cluster string            `json:"cluster"`
		Pool    machinePool       `json:"pool"`
		Labels  map[string]string `json:"labels"`
	}
	if err := yaml.UnmarshalStrict(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 4 {
		t.Fatalf("read %d vectors", len(vectors))
	}
	for _, v := range vectors {
		spec, err := deploymentSpec(v.Cluster, v.Pool, deploymentName(v.Cluster, v.Pool.Name))
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := unstructured.NestedStringMap(spec, "template", "metadata", "labels")
		if d := cmp.Diff(v.Labels, got); d != "" || v.Source == "" {
			t.Errorf("%s (source %q, -want +got):\n%s", v.Name, v.Source, d)
		}
	}
}
