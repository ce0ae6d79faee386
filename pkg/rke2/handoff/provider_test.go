package handoff_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"sigs.k8s.io/yaml"
)

// The provider is not available as a module, so tables here describe its schema and its
// conversion of a configuration, field by field. They omit fields that no fragment has.
//
// rancher/terraform-provider-rancher2, rancher2/:
//   - schema_cluster_v2_rke_config.go@188e2dc9: machine_global_config and
//     additional_manifest are strings, machine_selector_config is a list of blocks;
//   - schema_cluster_v2_rke_config_system_config.go@40d884f2: machine_label_selector is at
//     most one block, match_labels a map of strings, match_expressions a list of blocks of
//     key, operator and a list values; config is a string of YAML whose default is
//     "protect-kernel-defaults: false";
//   - structure_cluster_v2_rke_config_system_config.go@0c920db5: an empty config sets nothing,
//     values are sorted, an empty selector block is ignored.
type attribute struct {
	name string
	kind cty.Type
}

func rkeConfig() (attributes []attribute, blocks []string) {
	return []attribute{{"machine_global_config", cty.String}, {"additional_manifest", cty.String}}, []string{"machine_selector_config"}
}

// evaluate returns an attribute as Terraform evaluates it.
func evaluate(t *testing.T, body *hclsyntax.Body, want attribute) (cty.Value, bool) {
	t.Helper()
	given, there := body.Attributes[want.name]
	if !there {
		return cty.NilVal, false
	}
	value, diags := given.Expr.Value(&hcl.EvalContext{Functions: map[string]function.Function{"yamlencode": ctyyaml.YAMLEncodeFunc}})
	if diags.HasErrors() {
		t.Fatalf("%s: %s", want.name, diags)
	}
	return value, true
}

// only fails on attributes and blocks that the provider does not have.
func only(t *testing.T, body *hclsyntax.Body, attributes, blocks []string) {
	t.Helper()
	for name := range body.Attributes {
		if !slices.Contains(attributes, name) {
			t.Fatalf("the provider has no attribute %s", name)
		}
	}
	for _, block := range body.Blocks {
		if !slices.Contains(blocks, block.Type) || len(block.Labels) > 0 {
			t.Fatalf("the provider has no block %s", block.Type)
		}
	}
}

// applied returns spec.rkeConfig as the provider derives it from HCL: the existing fields.
func applied(t *testing.T, text string) map[string]any {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "fragment.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags, text)
	}
	body := file.Body.(*hclsyntax.Body)
	only(t, body, nil, []string{"rke_config"})
	if len(body.Blocks) != 1 {
		t.Fatalf("%d blocks rke_config", len(body.Blocks))
	}
	rke := body.Blocks[0].Body
	attributes, blocks := rkeConfig()
	names := []string{}
	out := map[string]any{}
	for _, a := range attributes {
		names = append(names, a.name)
		value, there := evaluate(t, rke, a)
		if !there {
			continue
		}
		if value.Type() != a.kind {
			t.Fatalf("%s is a %s", a.name, value.Type().FriendlyName())
		}
		out[a.name] = value.AsString()
	}
	only(t, rke, names, blocks)
	return asObject(t, out, rke.Blocks)
}

func asObject(t *testing.T, given map[string]any, entries hclsyntax.Blocks) map[string]any {
	t.Helper()
	out := map[string]any{}
	if text, there := given["machine_global_config"]; there {
		out["machineGlobalConfig"] = mapOf(t, text.(string))
	}
	if text, there := given["additional_manifest"]; there {
		out["additionalManifest"] = text
	}
	for _, block := range entries {
		list, _ := out["machineSelectorConfig"].([]any)
		out["machineSelectorConfig"] = append(list, entryOf(t, block.Body))
	}
	return out
}

func entryOf(t *testing.T, body *hclsyntax.Body) map[string]any {
	t.Helper()
	only(t, body, []string{"config"}, []string{"machine_label_selector"})
	entry := map[string]any{"config": map[string]any{"protect-kernel-defaults": false}}
	if value, there := evaluate(t, body, attribute{"config", cty.String}); there {
		if entry["config"] = any(nil); value.AsString() != "" {
			entry["config"] = mapOf(t, value.AsString())
		}
	}
	for _, block := range body.Blocks {
		only(t, block.Body, []string{"match_labels"}, []string{"match_expressions"})
		selector := map[string]any{}
		if labels, there := evaluate(t, block.Body, attribute{"match_labels", cty.Map(cty.String)}); there {
			selector["matchLabels"] = plain(t, labels)
		}
		var all []any
		for _, one := range block.Body.Blocks {
			all = append(all, expressionOf(t, one.Body))
		}
		if all != nil {
			selector["matchExpressions"] = all
		}
		if len(selector) > 0 {
			entry["machineLabelSelector"] = selector
		}
	}
	return entry
}

func expressionOf(t *testing.T, body *hclsyntax.Body) map[string]any {
	t.Helper()
	only(t, body, []string{"key", "operator", "values"}, nil)
	out := map[string]any{}
	for _, name := range []string{"key", "operator", "values"} {
		if value, there := evaluate(t, body, attribute{name: name}); there {
			out[name] = plain(t, value)
		}
	}
	if values, given := out["values"].([]any); given {
		slices.SortFunc(values, func(a, b any) int { return slices.Compare([]byte(fmt.Sprint(a)), []byte(fmt.Sprint(b))) })
	}
	return out
}

func plain(t *testing.T, value cty.Value) any {
	t.Helper()
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func mapOf(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}
