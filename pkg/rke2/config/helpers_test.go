package config

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// cluster returns a Cluster object with an rkeConfig.
func cluster(rke map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": "demo", "namespace": "fleet-default"},
		"spec":     map[string]any{"kubernetesVersion": "v1.26.15+rke2r1", "rkeConfig": rke},
	}
}

func parse(t testing.TB, rke map[string]any) Spec {
	t.Helper()
	s, err := Parse(cluster(rke))
	if err != nil {
		t.Fatalf("parse %v: %v", rke, err)
	}
	return s
}

func fromYAML(t testing.TB, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("read %q: %v", text, err)
	}
	return out
}

func readYAML(t testing.TB, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(b, into); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}

// same compares two values by their JSON.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(plainJSON(t, want), plainJSON(t, got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func plainJSON(t testing.TB, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// wantFault checks class and reason of an error.
func wantFault(t testing.TB, err error, class fault.Class, reason string) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Class != class || f.Reason != reason {
		t.Fatalf("got error %v, want a fault of class %d with reason %s", err, class, reason)
	}
}

func machine(name string, roles string, labels ...string) Machine {
	m := Machine{Name: name, UID: "uid-" + name, Labels: map[string]string{}}
	for _, r := range roles {
		switch r {
		case 'c':
			m.Labels[LabelControlPlane] = "true"
		case 'e':
			m.Labels[LabelEtcd] = "true"
		case 'w':
			m.Labels[LabelWorker] = "true"
		}
	}
	for i := 0; i+1 < len(labels); i += 2 {
		m.Labels[labels[i]] = labels[i+1]
	}
	return m
}
