package ccmchart

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/upstreamchart"
)

func TestSchema_chartValues_complete(t *testing.T) {
	ch := ownChartForTest(t)
	if len(ch.Schema) == 0 {
		t.Fatal("the chart has no schema")
	}
	var schema map[string]any
	if err := json.Unmarshal(ch.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	compareWithSchema(t, "", ch.Values, asMap(schema["properties"]))
}

func compareWithSchema(t *testing.T, path string, values, properties map[string]any) {
	t.Helper()
	known := slices.Sorted(maps.Keys(properties))
	for key, value := range values {
		property := asMap(properties[key])
		if len(property) == 0 {
			t.Errorf("%s%s is not in the schema", path, key)
		}
		if inner := asMap(property["properties"]); len(inner) > 0 {
			compareWithSchema(t, path+key+".", asMap(value), inner)
		}
		known = slices.DeleteFunc(known, func(k string) bool { return k == key })
	}
	known = slices.DeleteFunc(known, func(k string) bool { return path == "updateStrategy.rollingUpdate." && k == "maxSurge" })
	if len(known) > 0 {
		t.Errorf("the schema has %s%v, the chart has not", path, known)
	}
}

// Helm refuses values of another type before it renders an object. Files for the published
// charts are not checked.
func TestSchema_otherTypes_refused(t *testing.T) {
	ch := ownChartForTest(t)
	render := func(values string) error {
		var v map[string]any
		if err := yaml.Unmarshal([]byte(values), &v); err != nil {
			t.Fatal(err)
		}
		_, err := Render(ch, v, "v1.26.15+rke2r1")
		return err
	}
	for _, values := range []string{"args: --v=2", "args: [2]", "hostNetworking: 'yes'", "image: {pullPolicy: Sometimes}", "image: v1", "minReadySeconds: -1",
		"minReadySeconds: soon", "imagePullSecrets: mirror", "imagePullSecrets: [mirror]", "leaderMigration: true", "nodeSelector: {a: 1}", "tolerations: {key: a}",
		"clusterRoleRules: all", "leaderElection: {leases: all}", "updateStrategy: {type: Recreate}"} {
		if err := render(values); err == nil || !strings.Contains(err.Error(), "does not render") {
			t.Errorf("%s: %v", values, err)
		}
	}
	for _, values := range []string{"{}", "typo: 1", "securityContext: {}", "securityContext: null", "nodeSelector: {a: null}", "securePort: '10300'", "securePort: 10300",
		"global: {cattle: {systemDefaultRegistry: a}}", "updateStrategy: {rollingUpdate: {maxUnavailable: 50%}}"} {
		if err := render(values); err != nil {
			t.Errorf("%s: %v", values, err)
		}
	}
	for _, version := range []string{"0.0.8", "0.0.9", "0.0.10", "0.0.11"} {
		text, err := yaml.Marshal(upstreamchart.Load(t, version).Values)
		if err != nil {
			t.Fatal(err)
		}
		if err := render(string(text)); err != nil {
			t.Errorf("values of upstream's %s: %v", version, err)
		}
	}
}
