package rancher

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	data, err := os.ReadFile("../../vectors/rke2-merge.yaml")
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
				if d := cmp.Diff(m.Filtered, filter(got, isServer(m.Labels), rke2Arguments())); d != "" {
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
		known               bool
	}{
		{"v2.8.5", "v1.26.15+rke2r1", true},
		{"v2.7.5", "v1.26.15+rke2r1", true},
		{"v2.7.4", "v1.26.15+rke2r1", false},
		{"v2.9.0", "v1.26.15+rke2r1", false},
		{"v2.9.3", "v1.27.16+rke2r2", true},
		{"v2.8.5", "v1.24.17+rke2r1", false},
		{"v2.8.5", "v1.26.5+rke2r1", false},
		{"v2.8.5", "v1.26.15+k3s1", false},
	} {
		_, known, err := releaseFor(c.rancher, c.kubernetes)
		if err != nil || known != c.known {
			t.Errorf("Rancher %s, %s: known %t, %v; wanted %t", c.rancher, c.kubernetes, known, err, c.known)
		}
	}
	if _, _, err := releaseFor("v2.8.5", "newest"); err == nil {
		t.Error("no error for a version that is none")
	}
}
