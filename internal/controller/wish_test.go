package controller

import (
	"reflect"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// eachLeaf visits every scalar value of a spec, and fills pointers and lists on the way.
func eachLeaf(at string, v reflect.Value, visit func(at string, v reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[runtime.RawExtension]():
		visit(at, v)
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		eachLeaf(at, v.Elem(), visit)
	case v.Kind() == reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		eachLeaf(at, v.Index(0), visit)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" {
				name = "." + name
			}
			eachLeaf(at+name, v.Field(i), visit)
		}
	default:
		visit(at, v)
	}
}

// bend sets a leaf to one of two values.
func bend(t *testing.T, v reflect.Value, second bool) {
	t.Helper()
	words := map[bool]string{false: "first", true: "second"}
	switch {
	case v.Type() == reflect.TypeFor[runtime.RawExtension]():
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(`{"key":"` + words[second] + `"}`)}))
	case v.Kind() == reflect.String:
		v.SetString(words[second])
	case v.Kind() == reflect.Bool:
		v.SetBool(second)
	default:
		t.Fatalf("a field of kind %s: teach this test a second value of it", v.Kind())
	}
}

// A change of any field of the spec during a block ends the block, unless freeFields lists it.
func TestChangesSince_eachField_isNamed(t *testing.T) {
	filled := func(second string) *v1alpha1.ClusterMigration {
		m := &v1alpha1.ClusterMigration{}
		eachLeaf("spec", reflect.ValueOf(&m.Spec).Elem(), func(at string, v reflect.Value) { bend(t, v, at == second) })
		return m
	}
	var fields []string
	eachLeaf("spec", reflect.ValueOf(&v1alpha1.ClusterMigrationSpec{}).Elem(), func(at string, _ reflect.Value) { fields = append(fields, at) })
	if len(fields) < 25 {
		t.Fatalf("found only %v", fields)
	}
	free := map[string]bool{}
	for _, field := range fields {
		seen, err := changesSince(filled(""), filled(field))
		if err != nil {
			t.Fatal(err)
		}
		allowed := ""
		for name := range freeFields() {
			if field == name || strings.HasPrefix(field, name+".") {
				allowed, free[name] = name, true
			}
		}
		switch {
		case allowed != "" && seen != "":
			t.Errorf("%s ends a block, and may change: %s", field, seen)
		case allowed == "" && seen == "":
			t.Errorf("%s changed in the middle of a block, which goes on", field)
		case strings.Contains(seen, "second"):
			t.Errorf("%s: %q shows the value, which may be secret", field, seen)
		}
	}
	for name, reason := range freeFields() {
		if !free[name] || reason == "" {
			t.Errorf("%s may change, and is no field or has no reason", name)
		}
	}
}

func TestChangesSince(t *testing.T) {
	begun := v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{UID: "one"}, Spec: v1alpha1.ClusterMigrationSpec{Edits: v1alpha1.EditsApply, Goal: v1alpha1.GoalMigrate}}
	for name, tt := range map[string]struct {
		change func(m *v1alpha1.ClusterMigration)
		want   string // part of the message, or empty if none is expected
	}{
		"unchanged_goes_on":         {func(*v1alpha1.ClusterMigration) {}, ""},
		"status_written_goes_on":    {func(m *v1alpha1.ClusterMigration) { m.Status.Position, m.ResourceVersion = "P3", "7" }, ""},
		"retry_asked_for_goes_on":   {func(m *v1alpha1.ClusterMigration) { m.Annotations = map[string]string{RetryAnnotation: "1"} }, ""},
		"made_anew_ends":            {func(m *v1alpha1.ClusterMigration) { m.UID = "two" }, "created again"},
		"deleted_ends":              {func(m *v1alpha1.ClusterMigration) { m.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, "deleted"},
		"handed_off_ends":           {func(m *v1alpha1.ClusterMigration) { m.Spec.Edits = v1alpha1.EditsHandoff }, "spec.edits"},
		"edits_emptied_ends":        {func(m *v1alpha1.ClusterMigration) { m.Spec.Edits = "" }, "spec.edits"},
		"option_changed_ends":       {func(m *v1alpha1.ClusterMigration) { m.Spec.Options.CCM.Image = "other" }, "spec.options.ccm"},
		"goal_taken_away_ends":      {func(m *v1alpha1.ClusterMigration) { m.Spec.Goal = "" }, "spec.goal"},
		"two_changes_both_reported": {func(m *v1alpha1.ClusterMigration) { m.Spec.Edits, m.Spec.Paused = "", true }, "spec.edits, spec.paused"},
	} {
		t.Run(name, func(t *testing.T) {
			now := begun.DeepCopy()
			tt.change(now)
			seen, err := changesSince(&begun, now)
			if err != nil || (seen == "") != (tt.want == "") || !strings.Contains(seen, tt.want) {
				t.Errorf("%q, %v; wanted %q", seen, err, tt.want)
			}
		})
	}
}
