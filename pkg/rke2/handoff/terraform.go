package handoff

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// terraform returns the block rke_config of a rancher2_cluster_v2, with each changed field as a
// whole. machine_global_config and, from version 3.2.0 on, config of machine_selector_config are
// strings of YAML (rancher/terraform-provider-rancher2:
// rancher2/schema_cluster_v2_rke_config.go@188e2dc9 and
// rancher2/schema_cluster_v2_rke_config_system_config.go@40d884f2). Before that version config is
// a map of strings, which has no lists.
func (f Fragment) terraform() (string, error) {
	file := hclwrite.NewEmptyFile()
	block := file.Body().AppendNewBlock("rke_config", nil).Body()
	changed := config.ChangedFields(f.Before, f.After)
	for _, field := range []struct {
		name, hcl string
		write     func(body *hclwrite.Body, name string, value any) error
	}{
		{"machineGlobalConfig", "machine_global_config", setYAML},
		{"machineSelectorConfig", "machine_selector_config", addEntries},
		{"additionalManifest", "additional_manifest", setText},
	} {
		value, there := changed[field.name]
		if !there {
			continue
		}
		if value == nil {
			comment(block, "remove "+field.hcl)
			continue
		}
		if err := field.write(block, field.hcl, value); err != nil {
			return "", fmt.Errorf("write %s of Cluster %s/%s as HCL: %w", field.name, f.Namespace, f.Name, err)
		}
	}
	return f.head() + string(hclwrite.Format(file.Bytes())), nil
}

func comment(body *hclwrite.Body, text string) {
	body.AppendUnstructuredTokens(hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte("# " + text + "\n")}})
}

// setYAML sets an attribute to a string of YAML through yamlencode, so that readers see keys and
// not one text.
func setYAML(body *hclwrite.Body, name string, value any) error {
	encoded, err := ctyOf(value)
	if err != nil {
		return err
	}
	body.SetAttributeRaw(name, hclwrite.TokensForFunctionCall("yamlencode", hclwrite.TokensForValue(encoded)))
	return nil
}

func setText(body *hclwrite.Body, name string, value any) error {
	encoded, err := ctyOf(value)
	if err != nil {
		return err
	}
	body.SetAttributeValue(name, encoded)
	return nil
}

// addEntries writes one block for each entry, in order: a later one overrides an earlier one.
func addEntries(body *hclwrite.Body, name string, value any) error {
	entries, _ := value.([]any)
	for _, one := range entries {
		entry, _ := one.(map[string]any)
		block := body.AppendNewBlock(name, nil).Body()
		if selector, given := entry["machineLabelSelector"].(map[string]any); given {
			if err := addSelector(block, selector); err != nil {
				return err
			}
		}
		values, given := entry["config"].(map[string]any)
		if !given { // if omitted, the provider would put protect-kernel-defaults there
			block.SetAttributeValue("config", cty.StringVal(""))
			continue
		}
		if err := setYAML(block, "config", values); err != nil {
			return err
		}
	}
	return nil
}

func addSelector(body *hclwrite.Body, selector map[string]any) error {
	block := body.AppendNewBlock("machine_label_selector", nil).Body()
	if labels, given := selector["matchLabels"].(map[string]any); given && len(labels) > 0 {
		encoded, err := ctyOf(labels)
		if err != nil {
			return err
		}
		block.SetAttributeValue("match_labels", encoded)
	}
	expressions, _ := selector["matchExpressions"].([]any)
	for _, one := range expressions {
		expression, _ := one.(map[string]any)
		terms := block.AppendNewBlock("match_expressions", nil).Body()
		for _, key := range []string{"key", "operator", "values"} {
			if expression[key] == nil {
				continue
			}
			encoded, err := ctyOf(expression[key])
			if err != nil {
				return err
			}
			terms.SetAttributeValue(key, encoded)
		}
	}
	return nil
}

// ctyOf returns a value of the configuration in HCL's type system.
func ctyOf(value any) (cty.Value, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return cty.NilVal, err
	}
	var out ctyjson.SimpleJSONValue
	if err := json.Unmarshal(text, &out); err != nil {
		return cty.NilVal, err
	}
	return out.Value, nil
}
