package edits

import (
	"encoding/json"
	"os"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// cluster returns a Cluster object with an rkeConfig.
func cluster(rke map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": "demo", "namespace": "fleet-default"},
		"spec":     map[string]any{"kubernetesVersion": "v1.26.15+rke2r1", "rkeConfig": rke},
	}
}

func parse(t testing.TB, rke map[string]any) config.Spec {
	t.Helper()
	s, err := config.Parse(cluster(rke))
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

// content returns the fields of a config.Spec that an edit can change.
func content(s config.Spec) map[string]any {
	out := map[string]any{}
	if s.Global != nil {
		out["machineGlobalConfig"] = s.Global
	}
	if s.Entries != nil {
		list := []any{}
		for _, e := range s.Entries {
			one := map[string]any{}
			if e.HasConfig {
				one["config"] = e.Config
			}
			if e.RawSelector != nil {
				one["machineLabelSelector"] = e.RawSelector
			}
			list = append(list, one)
		}
		out["machineSelectorConfig"] = list
	}
	if s.HasManifest {
		out["additionalManifest"] = s.AdditionalManifest
	}
	return out
}

// patched applies an edit's JSON patch to the object, as an API server would.
func patched(t testing.TB, rke map[string]any, e Edit) config.Spec {
	t.Helper()
	doc, err := json.Marshal(cluster(rke))
	if err != nil {
		t.Fatal(err)
	}
	out, err := applyPatch(doc, e)
	if err != nil {
		t.Fatalf("apply the patch of %s: %v", e.Diff(), err)
	}
	object := map[string]any{}
	if err := json.Unmarshal(out, &object); err != nil {
		t.Fatal(err)
	}
	s, err := config.Parse(object)
	if err != nil {
		t.Fatalf("parse what was patched: %v", err)
	}
	return s
}

func applyPatch(doc []byte, e Edit) ([]byte, error) {
	b, err := e.JSONPatch()
	if err != nil {
		return nil, err
	}
	p, err := jsonpatch.DecodePatch(b)
	if err != nil {
		return nil, err
	}
	return p.Apply(doc)
}

// stored encodes and parses an inverse, as the journal does.
func stored(t testing.TB, inv Inverse) Inverse {
	t.Helper()
	b, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	out, err := ParseInverse(b)
	if err != nil {
		t.Fatalf("%v: %s", err, b)
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

func machine(name string, roles string, labels ...string) config.Machine {
	m := config.Machine{Name: name, UID: "uid-" + name, Labels: map[string]string{}}
	for _, r := range roles {
		switch r {
		case 'c':
			m.Labels[config.LabelControlPlane] = "true"
		case 'e':
			m.Labels[config.LabelEtcd] = "true"
		case 'w':
			m.Labels[config.LabelWorker] = "true"
		}
	}
	for i := 0; i+1 < len(labels); i += 2 {
		m.Labels[labels[i]] = labels[i+1]
	}
	return m
}
