package v1alpha1_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Every rule of the schema has a case that breaks it, and code refuses each. So invalid
// objects are refused even if a server drops rules or has an older definition.
func TestValidate_everyRule_isChecked(t *testing.T) {
	cases := broken()
	if want, have := slices.Sorted(slices.Values(rules("spec", schemaOf(definition(t), "spec")))), slices.Sorted(maps.Keys(cases)); !slices.Equal(want, have) {
		for _, rule := range want {
			if _, ok := cases[rule]; !ok {
				t.Errorf("no case: %s", rule)
			}
		}
		for _, rule := range have {
			if !slices.Contains(want, rule) {
				t.Errorf("no rule: %s", rule)
			}
		}
	}
	for rule, changes := range cases {
		place, _, _ := strings.Cut(rule, " ")
		want, found := refusalOf(rule), false
		errs := typed(t, object(t, changes)).Validate()
		for _, err := range errs {
			found = found || err.Type == want.code && withoutIndexes(err.Field) == strings.ReplaceAll(place, "[]", "")
		}
		if !found {
			t.Errorf("%s: %v", rule, errs)
		}
	}
}

// withoutIndexes returns a path without the indexes of lists.
func withoutIndexes(path string) string {
	for {
		before, after, found := strings.Cut(path, "[")
		if !found {
			return path
		}
		_, rest, _ := strings.Cut(after, "]")
		path = before + rest
	}
}

// valid holds objects that break no rule: a full object, an empty one, and one with only
// zero fields.
func valid(t *testing.T) map[string]map[string]any {
	t.Helper()
	empty := map[string]any{}
	for _, n := range nodes("spec", schemaOf(definition(t), "spec")) {
		if n.schema["type"] == "string" && !strings.Contains(n.path, "[]") && !strings.Contains(n.path, "Ref") {
			empty[n.path] = ""
		}
	}
	return map[string]map[string]any{"whole": nil, "nothing": {"spec": nil}, "empty": empty}
}

func TestValid(t *testing.T) {
	for name, changes := range valid(t) {
		if errs := typed(t, object(t, changes)).Validate(); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// Code bounds values that a schema cannot bound, and refuses values that are not a map.
func TestValidate_chartValues_areBounded(t *testing.T) {
	for raw, want := range map[string]field.ErrorType{
		``: "", `{}`: "", `null`: "", `[1]`: field.ErrorTypeTypeInvalid, `{"a":"` + strings.Repeat("x", 64<<10) + `"}`: field.ErrorTypeTooLong,
	} {
		m := &v1alpha1.ClusterMigration{}
		m.Spec.Options.CCM.Values = &runtime.RawExtension{Raw: []byte(raw)}
		errs := m.Validate()
		if (want == "") != (len(errs) == 0) || (want != "" && errs[0].Type != want) {
			t.Errorf("%.20s: %v", raw, errs)
		}
	}
}

// An absent goal is an audit, also on servers that write no default.
func TestOrDefault_absentGoal_isAudit(t *testing.T) {
	if got := v1alpha1.Goal("").OrDefault(); got != v1alpha1.GoalAudit {
		t.Error(got)
	}
	if got := v1alpha1.GoalUndo.OrDefault(); got != v1alpha1.GoalUndo {
		t.Error(got)
	}
}
