package handoff_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
)

// edit is a case of the table of edits: a configuration and the result of an edit.
type edit struct {
	Name     string         `json:"name"`
	Edit     string         `json:"edit"`
	Machines []string       `json:"machines"`
	RKE      map[string]any `json:"rke"`
	Refused  string         `json:"refused"`
	Want     any            `json:"want"`
}

func allEdits(t *testing.T) []edit {
	t.Helper()
	text, err := os.ReadFile("../config/edits/testdata/edits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []edit
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func machines(list []string) []config.Machine {
	var out []config.Machine
	for _, text := range list {
		fields := strings.Fields(text)
		m := config.Machine{Name: fields[0], Labels: map[string]string{}}
		for role, label := range map[string]string{"c": config.LabelControlPlane, "e": config.LabelEtcd, "w": config.LabelWorker} {
			if strings.Contains(fields[1], role) {
				m.Labels[label] = "true"
			}
		}
		for _, label := range fields[2:] {
			key, value, _ := strings.Cut(label, "=")
			m.Labels[key] = value
		}
		out = append(out, m)
	}
	return out
}

func object(rke map[string]any) map[string]any {
	return map[string]any{"kind": "Cluster", "metadata": map[string]any{"namespace": "fleet-default", "name": "demo"}, "spec": map[string]any{"rkeConfig": rke}}
}

func parse(t *testing.T, rke map[string]any) config.Spec {
	t.Helper()
	spec, err := config.Parse(object(rke))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func compute(c edit, spec config.Spec) (edits.Edit, error) {
	switch c.Edit {
	case "enable":
		return edits.EnableLeaderMigration(spec, machines(c.Machines))
	case "disable":
		return edits.DisableLeaderMigration(spec, machines(c.Machines))
	case "back":
		return edits.SwitchBack(spec, machines(c.Machines))
	}
	return edits.SwitchProvider(spec, machines(c.Machines), edits.EndState(c.Edit))
}

// with returns a configuration with replaced fields; nil removes one.
func with(rke, fields map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range rke {
		out[name] = value
	}
	for name, value := range fields {
		if out[name] = value; value == nil {
			delete(out, name)
		}
	}
	return out
}

// tidy removes empty values from a configuration, as Rancher's own clients do.
func tidy(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, one := range value {
			if one = tidy(one); one != nil {
				out[key] = one
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	case []any:
		var out []any
		for _, one := range value {
			out = append(out, tidy(one))
		}
		if out == nil {
			return nil
		}
		return out
	}
	return value
}

func sameFields(t *testing.T, what string, want, got config.Spec) {
	t.Helper()
	plain := func(s config.Spec) (out any) {
		text, err := json.Marshal(s.Fields())
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return tidy(out)
	}
	if d := cmp.Diff(plain(want), plain(got)); d != "" {
		t.Errorf("%s:\n%s", what, d)
	}
}

// Every edit, committed in any form, is exactly that edit. The text for its reader precedes it.
func TestFragmentsAreTheEdit(t *testing.T) {
	made := 0
	for _, c := range allEdits(t) {
		spec := parse(t, c.RKE)
		change, err := compute(c, spec)
		if err != nil || change.Empty() {
			continue
		}
		after, err := change.Apply(spec)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		made++
		fragment := handoff.Fragment{Namespace: "fleet-default", Name: "demo", Head: []string{"one", "two"}, Before: spec, After: after, Edit: change}
		for _, form := range handoff.Forms() {
			text, err := fragment.Text(form)
			if err != nil {
				t.Fatal(c.Name, form, err)
			}
			if headed := strings.HasPrefix(text, "# one\n# two\n"); headed == (form == handoff.Patch) {
				t.Errorf("%s, %s: its head is there: %t\n%s", c.Name, form, headed, text)
			}
			sameFields(t, c.Name+", "+string(form), after, parse(t, committed(t, form, text, c.RKE, config.ChangedFields(spec, after))))
		}
	}
	if made < 20 {
		t.Errorf("only %d edits were written", made)
	}
}

// committed returns the configuration after a fragment was committed.
func committed(t *testing.T, form handoff.Form, text string, rke, changed map[string]any) map[string]any {
	t.Helper()
	switch form {
	case handoff.Terraform:
		fields := applied(t, text)
		for name, value := range changed {
			words := map[string]string{"machineGlobalConfig": "machine_global_config", "machineSelectorConfig": "machine_selector_config", "additionalManifest": "additional_manifest"}
			if value == nil && !strings.Contains(text, "# remove "+words[name]+"\n") {
				t.Errorf("the text does not say that %s goes:\n%s", name, text)
			}
			if _, there := fields[name]; !there {
				fields[name] = nil
			}
		}
		return with(rke, fields)
	case handoff.Patch:
		whole, err := json.Marshal(object(rke))
		if err != nil {
			t.Fatal(err)
		}
		patch, err := jsonpatch.DecodePatch([]byte(text))
		if err == nil {
			whole, err = patch.Apply(whole)
		}
		var out struct {
			Spec struct{ RKEConfig map[string]any }
		}
		if err == nil {
			err = json.Unmarshal(whole, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.Spec.RKEConfig
	case handoff.Fleet, handoff.ArgoCD:
	}
	var manifest struct {
		APIVersion, Kind string
		Metadata         struct{ Namespace, Name string }
		Spec             struct{ RKEConfig map[string]any }
	}
	if err := yaml.Unmarshal([]byte(text), &manifest); err != nil || manifest.Kind != "Cluster" || manifest.Metadata.Name != "demo" || manifest.Metadata.Namespace != "fleet-default" {
		t.Fatal(err, text)
	}
	return with(rke, manifest.Spec.RKEConfig)
}

// Values with a special meaning in HCL or YAML are preserved.
func TestText_terraformSpecialValues_kept(t *testing.T) {
	odd := map[string]any{
		"interpolation": "${var.x} %{ if true }", "quotes": `a "b" 'c' \d`, "lines": "a\nb\n\n  c\n", "unicode": "é 日本", "yes": "yes", "number": "1.50", "null": "null",
		"int": 3, "float": 1.5, "bool": true, "list": []any{"a", 1, false}, "map": map[string]any{"k": []any{}}, "dash-key": "x", "key with blanks": "x", "0": "x", "": "x",
	}
	before := parse(t, map[string]any{})
	after := parse(t, map[string]any{"machineGlobalConfig": odd, "additionalManifest": "a: ${b}\n---\nc: %{d}\n",
		"machineSelectorConfig": []any{map[string]any{"config": odd}, map[string]any{"machineLabelSelector": map[string]any{"matchLabels": map[string]any{"a.b/c": "d"}}}}})
	text, err := handoff.Fragment{Namespace: "fleet-default", Name: "demo", Before: before, After: after}.Text(handoff.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	sameFields(t, text, after, parse(t, applied(t, text)))
}

func TestText_unknownForm_error(t *testing.T) {
	if _, err := (handoff.Fragment{}).Text("pulumi"); err == nil {
		t.Error("a form that there is not was written")
	}
}

// The text must be readable and show the keys.
func TestTerraformText(t *testing.T) {
	spec := parse(t, map[string]any{"machineGlobalConfig": map[string]any{"cloud-provider-name": "aws"}})
	change, err := edits.EnableLeaderMigration(spec, machines([]string{"cp-0 ce"}))
	if err != nil {
		t.Fatal(err)
	}
	after, err := change.Apply(spec)
	if err != nil {
		t.Fatal(err)
	}
	got, err := handoff.Fragment{Namespace: "fleet-default", Name: "demo", Head: []string{"enable-leader-migration"}, Before: spec, After: after, Edit: change}.Text(handoff.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# enable-leader-migration
rke_config {
  machine_selector_config {
    machine_label_selector {
      match_expressions {
        key      = "rke.cattle.io/control-plane-role"
        operator = "In"
        values   = ["true"]
      }
    }
    config = yamlencode({
      kube-controller-manager-arg = ["enable-leader-migration"]
    })
  }
}
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
