package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

const rolloutDefinitionFile = "../../../../charts/awsmigrate-crd/templates/awsmigrate.io_migrationrollouts.yaml"

// wholeRollout holds a valid rollout with every field of a spec.
const wholeRollout = `{
  "apiVersion": "awsmigrate.io/v1alpha1", "kind": "MigrationRollout",
  "metadata": {"name": "eu", "namespace": "default"},
  "spec": {
    "goal": "Undo", "edits": "Apply", "selector": {"matchLabels": {"region": "eu"}}, "maxConcurrent": 3, "paused": true,
    "waves": [{"name": "canary", "clusters": ["dev"], "selector": {"matchExpressions": [{"key": "env", "operator": "In", "values": ["dev"]}]},
      "maxConcurrent": 2, "failuresAllowed": 1, "deadline": "24h", "soak": "12h"}, {"name": "rest"}],
    "approved": {"goal": "Undo", "members": [{"cluster": "dev", "wave": "canary", "plan": "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}]}
  }
}`

func rolloutDefinition(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(rolloutDefinitionFile)
	if err != nil {
		t.Fatal(err)
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// rolloutObject returns wholeRollout with other values at some paths; nil removes a field.
func rolloutObject(t *testing.T, changes map[string]any) *unstructured.Unstructured {
	t.Helper()
	obj := map[string]any{}
	if err := json.Unmarshal([]byte(wholeRollout), &obj); err != nil {
		t.Fatal(err)
	}
	for path, value := range changes {
		set(obj, strings.Split(path, "."), value)
	}
	return &unstructured.Unstructured{Object: obj}
}

func typedRollout(t *testing.T, obj *unstructured.Unstructured) *v1alpha1.MigrationRollout {
	t.Helper()
	text, err := json.Marshal(obj.Object)
	if err != nil {
		t.Fatal(err)
	}
	var r v1alpha1.MigrationRollout
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// brokenRollouts lists, for every rule of the schema, a change to wholeRollout that breaks it.
// Selectors are not among them: their schema is Kubernetes' own, and Validate checks them.
func brokenRollouts() map[string]map[string]any {
	long := strings.Repeat
	one := func(path string, value any) map[string]any { return map[string]any{path: value} }
	wave := func(i int) any { return map[string]any{"name": fmt.Sprint("w", i)} }
	member := func(i int) any { return map[string]any{"cluster": fmt.Sprint("c", i), "wave": "canary"} }
	w, m := "spec.waves.", "spec.approved.members."
	return map[string]map[string]any{
		"spec.goal enum":                                 one("spec.goal", "Upgrade"),
		"spec goal must be Migrate or Undo":              one("spec.goal", "Audit"),
		"spec.edits enum":                                one("spec.edits", "handoff"),
		"spec.maxConcurrent minimum":                     one("spec.maxConcurrent", -1),
		"spec.maxConcurrent maximum":                     one("spec.maxConcurrent", 101),
		"spec.waves required":                            one("spec.waves", nil),
		"spec.waves minItems":                            one("spec.waves", []any{}),
		"spec.waves maxItems":                            one("spec.waves", append(many(32, wave), map[string]any{"name": "canary"})),
		"spec.waves x-kubernetes-list-type":              one("spec.waves", []any{map[string]any{"name": "canary"}, map[string]any{"name": "canary"}}),
		"spec.waves[].name required":                     one(w+"name", nil),
		"spec.waves[].name pattern":                      one(w+"name", "Canary"),
		"spec.waves[].name maxLength":                    one(w+"name", long("w", 64)),
		"spec.waves[].clusters maxItems":                 one(w+"clusters", many(501, func(i int) any { return fmt.Sprint("c", i) })),
		"spec.waves[].clusters[] maxLength":              one(w+"clusters", []any{long("c", 254)}),
		"spec.waves[].clusters x-kubernetes-list-type":   one(w+"clusters", []any{"a", "a"}),
		"spec.waves[].maxConcurrent minimum":             one(w+"maxConcurrent", -1),
		"spec.waves[].maxConcurrent maximum":             one(w+"maxConcurrent", 101),
		"spec.waves[].failuresAllowed minimum":           one(w+"failuresAllowed", -1),
		"spec.waves[].failuresAllowed maximum":           one(w+"failuresAllowed", 501),
		"spec.waves[].deadline pattern":                  one(w+"deadline", "900s"),
		"spec.waves[].deadline maxLength":                one(w+"deadline", "00000024h"),
		"spec.waves[].deadline must be from 10m to 720h": one(w+"deadline", "9m"),
		"spec.waves[].soak pattern":                      one(w+"soak", "60s"),
		"spec.waves[].soak maxLength":                    one(w+"soak", "00000012h"),
		"spec.waves[].soak must be from 1m to 720h":      one(w+"soak", "721h"),
		"spec.approved.goal required":                    one("spec.approved.goal", nil),
		"spec.approved.goal enum":                        one("spec.approved.goal", "Upgrade"),
		"spec.approved.members maxItems":                 one("spec.approved.members", many(501, member)),
		"spec.approved.members x-kubernetes-list-type":   one("spec.approved.members", []any{member(1), member(1)}),
		"spec.approved.members[].cluster required":       one(m+"cluster", nil),
		"spec.approved.members[].cluster maxLength":      one(m+"cluster", long("c", 254)),
		"spec.approved.members[].wave required":          one(m+"wave", nil),
		"spec.approved.members[].wave maxLength":         one(m+"wave", long("w", 64)),
		"spec.approved.members[].plan pattern":           one(m+"plan", "sha256:0123"),
		"spec.approved.members[].plan maxLength":         one(m+"plan", "sha256:"+long("0", 65)),
	}
}

// Every rule of a rollout's schema has a case that breaks it, and code refuses each.
func TestValidateRollout_everyRule_isChecked(t *testing.T) {
	cases := brokenRollouts()
	want := slices.DeleteFunc(rules("spec", schemaOf(rolloutDefinition(t), "spec")), func(rule string) bool { return strings.Contains(rule, ".selector") })
	for _, rule := range want {
		if _, ok := cases[rule]; !ok {
			t.Errorf("no case: %s", rule)
		}
	}
	for rule, changes := range cases {
		if !slices.Contains(want, rule) {
			t.Errorf("no rule: %s", rule)
		}
		if errs := typedRollout(t, rolloutObject(t, changes)).Validate(); len(errs) == 0 {
			t.Errorf("%s: let through", rule)
		}
	}
	if errs := typedRollout(t, rolloutObject(t, nil)).Validate(); len(errs) > 0 {
		t.Errorf("a valid rollout: %v", errs)
	}
}

// Rules that no schema has: selectors, and waves of an approval that do not exist.
func TestValidateRollout_beyondTheSchema(t *testing.T) {
	bad := map[string]any{"matchExpressions": []any{map[string]any{"key": "env", "operator": "Is", "values": []any{"dev"}}}}
	for place, changes := range map[string]map[string]any{
		"spec.selector":                 {"spec.selector": bad},
		"spec.waves[0].selector":        {"spec.waves.selector": bad},
		"spec.approved.members[0].wave": {"spec.approved.members.wave": "gone"},
	} {
		errs := typedRollout(t, rolloutObject(t, changes)).Validate()
		if len(errs) == 0 || !strings.HasPrefix(errs[0].Field, place) {
			t.Errorf("%s: %v", place, errs)
		}
	}
}

// The server refuses what code refuses, and accepts a valid rollout.
func TestRolloutOnAnAPIServer(t *testing.T) {
	config := apiserver.New(t, apiserver.Options{}).Config()
	plain, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	definitions := plain.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := definitions.Create(t.Context(), &unstructured.Unstructured{Object: rolloutDefinition(t)}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	objects := plain.Resource(v1alpha1.SchemeGroupVersion.WithResource("migrationrollouts")).Namespace(namespace)
	apiserver.Eventually(t, func() bool {
		_, err := objects.List(t.Context(), metav1.ListOptions{})
		return err == nil
	})
	try := func(changes map[string]any) error {
		_, err := objects.Create(t.Context(), rolloutObject(t, changes), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	for _, rule := range slices.Sorted(maps.Keys(brokenRollouts())) {
		if err := try(brokenRollouts()[rule]); !apierrors.IsInvalid(err) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if err := try(nil); err != nil {
		t.Error(err)
	}
}
