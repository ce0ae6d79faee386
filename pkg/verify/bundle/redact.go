package bundle

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// redact returns a copy of a value without secrets. The original is unchanged.
func redact[T any](r *Redactor, value T) T {
	return r.copyValue(reflect.ValueOf(&value).Elem()).Interface().(T) //nolint:forcetypeassert // a copy has the type of its original
}

// copyValue copies a value and replaces possible secrets in it.
func (r *Redactor) copyValue(v reflect.Value) reflect.Value {
	if special, known := r.applyRule(v); known {
		return special
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(Scrub(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(r.copyValue(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(r.copyValue(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(r.copyValue(v.Index(i)))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(r.copyValue(v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for _, key := range v.MapKeys() {
				out.SetMapIndex(key, r.copyValue(v.MapIndex(key)))
			}
		}
	default:
		out.Set(v) // numbers, booleans, functions
	}
	return out
}

// applyRule returns the copy of a value whose type has its own rule, or false.
func (r *Redactor) applyRule(v reflect.Value) (reflect.Value, bool) {
	if v.Type() == reflect.TypeFor[error]() {
		out := reflect.New(v.Type()).Elem()
		if err, ok := v.Interface().(error); ok && err != nil {
			out.Set(reflect.ValueOf(errors.New(Scrub(err.Error()))))
		}
		return out, true
	}
	switch value := v.Interface().(type) {
	case time.Time, json.RawMessage:
		return v, true
	case downstream.Container:
		value.Command, value.Args = r.redactWords(value.Command), r.redactWords(value.Args)
		return reflect.ValueOf(value), true
	case downstream.Node:
		return reflect.ValueOf(r.redactNode(value)), true
	case downstream.MigrationConfig:
		value.Text = keepMigrationLines(value.Text)
		return reflect.ValueOf(value), true
	case cloud.Tags:
		return reflect.ValueOf(keepClusterTags(value)), true
	case verify.Recorded:
		return reflect.ValueOf(redactFindings(value)), true
	}
	return reflect.Value{}, false
}

// redactNode copies a Node and keeps only those of RKE2's own arguments that checks use.
func (r *Redactor) redactNode(n downstream.Node) downstream.Node {
	raw, has := n.Annotations[downstream.AnnotationArgs]
	type plain downstream.Node                                                         // without the rule
	out := downstream.Node(r.copyValue(reflect.ValueOf(plain(n))).Interface().(plain)) //nolint:forcetypeassert // a copy has the type of its original
	if has {
		out.Annotations[downstream.AnnotationArgs] = r.redactNodeArgs(raw)
	}
	return out
}

// keepClusterTags returns only the tags that name a cluster.
func keepClusterTags(tags cloud.Tags) cloud.Tags {
	if tags == nil {
		return nil
	}
	out := cloud.Tags{}
	for key, value := range tags {
		if strings.HasPrefix(key, cloud.TagCluster) || key == cloud.TagLegacy {
			out[key] = Scrub(value)
		}
	}
	return out
}

// redactFindings keeps only the values of known arguments in findings.
func redactFindings(r verify.Recorded) verify.Recorded {
	out := verify.Recorded{ID: r.ID}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, verify.Finding{Status: f.Status, Object: Scrub(f.Object), Seen: redactPairs(Scrub(f.Seen)),
			Wanted: redactPairs(Scrub(f.Wanted)), Fix: redactPairs(Scrub(f.Fix)), Reason: redactPairs(Scrub(f.Reason))})
	}
	return out
}

// keepMigrationLines keeps the lines with keys of a leader migration file. The ConfigMap's key may
// contain any text.
func keepMigrationLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		word := strings.TrimLeft(line, " \t-{")
		key, _, _ := strings.Cut(word, ":")
		switch strings.Trim(key, `"' `) {
		case "", "apiVersion", "kind", "leaderName", "resourceLock", "controllerLeaders", "name", "component":
			lines[i] = Scrub(line)
		default:
			lines[i] = "# " + placeholder
		}
	}
	return strings.Join(lines, "\n")
}
