package v1alpha1_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// definitionFile is the generated CustomResourceDefinition.
const definitionFile = "../../../../charts/awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml"

func definition(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(definitionFile)
	if err != nil {
		t.Fatal(err)
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// version holds the only version of a definition.
func version(crd map[string]any) map[string]any {
	return crd["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
}

// schemaOf returns the schema of a field of the object, spec or status.
func schemaOf(crd map[string]any, name string) map[string]any {
	root := version(crd)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	return root["properties"].(map[string]any)[name].(map[string]any)
}

// node is one node of a schema, with its path.
type node struct {
	path   string // "spec.windows[].schedule"
	schema map[string]any
}

// nodes returns all nodes of a schema, including nested ones.
func nodes(path string, schema map[string]any) []node {
	all := []node{{path, schema}}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		all = append(all, nodes(path+"."+name, properties[name].(map[string]any))...)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		all = append(all, nodes(path+"[]", items)...)
	}
	return all
}

// notRules holds the keywords of a schema that refuse nothing, or only values that no Go
// type can hold.
var notRules = []string{"type", "format", "description", "properties", "items", "default", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-map-keys"}

// rules returns all rules of a schema, as "spec.windows[].schedule pattern".
func rules(path string, schema map[string]any) []string {
	var all []string
	for _, n := range nodes(path, schema) {
		for _, keyword := range slices.Sorted(maps.Keys(n.schema)) {
			all = append(all, rulesOf(n, keyword)...)
		}
	}
	return all
}

func rulesOf(n node, keyword string) (all []string) {
	switch value := n.schema[keyword]; {
	case slices.Contains(notRules, keyword), keyword == "x-kubernetes-list-type" && value == "atomic":
	case keyword == "required":
		for _, name := range value.([]any) {
			all = append(all, fmt.Sprintf("%s.%s required", n.path, name))
		}
	case keyword == "x-kubernetes-validations":
		for _, rule := range value.([]any) {
			all = append(all, n.path+" "+rule.(map[string]any)["message"].(string))
		}
	default:
		all = append(all, n.path+" "+keyword)
	}
	return all
}

// An API server of Kubernetes 1.25 accepts the definition unchanged. It would drop unknown
// keywords, and with them a rule (kubernetes/kubernetes:staging/src/k8s.io/
// apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go@v1.25.16).
func TestDefinition_kubernetes125_keepsEveryKeyword(t *testing.T) {
	for _, n := range allNodes(t) {
		validations, _ := n.schema["x-kubernetes-validations"].([]any)
		for _, rule := range validations {
			if known := rule.(map[string]any); len(known) != 2 || known["rule"] == "" || known["message"] == "" {
				t.Errorf("%s: %v, wanted rule and message", n.path, known)
			}
		}
	}
}

// allNodes returns the nodes of both definitions.
func allNodes(t *testing.T) []node {
	t.Helper()
	var all []node
	for _, crd := range []map[string]any{definition(t), rolloutDefinition(t)} {
		for _, field := range []string{"spec", "status"} {
			all = append(all, nodes(field, schemaOf(crd, field))...)
		}
	}
	return all
}

// Every field of users and of the controller is bounded. The schema of a selector is Kubernetes'
// own.
func TestDefinition_everyField_isBounded(t *testing.T) {
	for _, n := range allNodes(t) {
		if strings.Contains(n.path, "selector") {
			continue
		}
		has := func(keyword string) bool { _, ok := n.schema[keyword]; return ok }
		switch n.schema["type"] {
		case "string":
			if !has("maxLength") && !has("enum") && n.schema["format"] != "date-time" {
				t.Errorf("%s: a string without bounds", n.path)
			}
		case "array":
			if !has("maxItems") || !has("x-kubernetes-list-type") {
				t.Errorf("%s: a list without bounds, or without a way to merge it", n.path)
			}
		case "object":
			if !has("properties") && !has("maxProperties") {
				t.Errorf("%s: a map without bounds", n.path)
			}
		}
	}
}

// A default that the server writes is drift for an owner outside of the cluster. A status
// has no such owner.
func TestDefaults(t *testing.T) {
	var defaults []string
	for _, n := range nodes("spec", schemaOf(definition(t), "spec")) {
		if value, ok := n.schema["default"]; ok {
			defaults = append(defaults, fmt.Sprint(n.path, "=", value))
		}
	}
	if want := []string{"spec.goal=Audit", "spec.paused=false"}; !slices.Equal(defaults, want) {
		t.Errorf("%v, wanted %v", defaults, want)
	}
}

// A word that YAML reads as a boolean would be refused if a user omits the quotes.
func TestDefinition_choices_needNoQuotes(t *testing.T) {
	for _, n := range nodes("spec", schemaOf(definition(t), "spec")) {
		choices, _ := n.schema["enum"].([]any)
		for _, choice := range choices {
			var read any
			if err := yaml.Unmarshal([]byte(choice.(string)), &read); choice != "" && (err != nil || read != choice) {
				t.Errorf("%s: %v is read as %T %v", n.path, choice, read, err)
			}
		}
	}
}

// People and scripts read these columns.
func TestColumns(t *testing.T) {
	var columns []string
	for _, column := range version(definition(t))["additionalPrinterColumns"].([]any) {
		c := column.(map[string]any)
		columns = append(columns, fmt.Sprint(c["name"], c["jsonPath"]))
	}
	want := []string{
		"Goal.spec.goal", "Position.status.position", "State.status.display.state", "Step.status.run.step.id",
		"Fails.status.audit.fail", "Age.metadata.creationTimestamp", "Cluster.status.displayName", "Plan.status.plan.hash", "Message.status.display.message",
	}
	if !slices.Equal(columns, want) {
		t.Errorf("%v, wanted %v", columns, want)
	}
}
