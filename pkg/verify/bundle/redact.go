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

// redacted is a copy of a value of which every text was looked at. The original
// stays as it is.
func redacted[T any](r *Redactor, value T) T {
	return r.copied(reflect.ValueOf(&value).Elem()).Interface().(T) //nolint:forcetypeassert // a copy has the type of its original
}

// copied copies a value, and replaces what may be secret in it.
func (r *Redactor) copied(v reflect.Value) reflect.Value {
	if special, known := r.rule(v); known {
		return special
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(Scrub(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(r.copied(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(r.copied(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(r.copied(v.Index(i)))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(r.copied(v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for _, key := range v.MapKeys() {
				out.SetMapIndex(key, r.copied(v.MapIndex(key)))
			}
		}
	default:
		out.Set(v) // numbers, booleans, functions
	}
	return out
}

// rule is the copy of a type that has a rule of its own.
func (r *Redactor) rule(v reflect.Value) (reflect.Value, bool) {
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
		value.Command, value.Args = r.words(value.Command), r.words(value.Args)
		return reflect.ValueOf(value), true
	case downstream.Node:
		return reflect.ValueOf(r.node(value)), true
	case downstream.MigrationConfig:
		value.Text = migrationLines(value.Text)
		return reflect.ValueOf(value), true
	case cloud.Tags:
		return reflect.ValueOf(clusterTags(value)), true
	case verify.Recorded:
		return reflect.ValueOf(recorded(value)), true
	}
	return reflect.Value{}, false
}

// node keeps of RKE2's own arguments those that checks judge.
func (r *Redactor) node(n downstream.Node) downstream.Node {
	raw, has := n.Annotations[downstream.AnnotationArgs]
	type plain downstream.Node                                                      // without the rule
	out := downstream.Node(r.copied(reflect.ValueOf(plain(n))).Interface().(plain)) //nolint:forcetypeassert // a copy has the type of its original
	if has {
		out.Annotations[downstream.AnnotationArgs] = r.nodeArgs(raw)
	}
	return out
}

// clusterTags leaves out every tag that names no cluster.
func clusterTags(tags cloud.Tags) cloud.Tags {
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

// recorded are findings in which only values of known arguments stay.
func recorded(r verify.Recorded) verify.Recorded {
	out := verify.Recorded{ID: r.ID}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, verify.Finding{Status: f.Status, Object: Scrub(f.Object), Seen: pairs(Scrub(f.Seen)),
			Wanted: pairs(Scrub(f.Wanted)), Fix: pairs(Scrub(f.Fix)), Reason: pairs(Scrub(f.Reason))})
	}
	return out
}

// migrationLines keeps the lines of a leader migration file that are of one. The
// ConfigMap's key may hold anything.
func migrationLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		word := strings.TrimLeft(line, " \t-{")
		key, _, _ := strings.Cut(word, ":")
		switch strings.Trim(key, `"' `) {
		case "", "apiVersion", "kind", "leaderName", "resourceLock", "controllerLeaders", "name", "component":
			lines[i] = Scrub(line)
		default:
			lines[i] = "# " + gone
		}
	}
	return strings.Join(lines, "\n")
}
