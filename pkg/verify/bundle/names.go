package bundle

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// objectName is what a Kubernetes API lets an object be called, in lower or, as for
// roles, upper case and with colons
// (kubernetes/apimachinery:pkg/api/validation/path/name.go, util/validation).
var objectName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$`)

// impossible finds the first object of a reading whose name, namespace or node no API
// server could have given; "": there is none. A bundle was written by somebody else,
// and what is said of it is read, and pasted.
func impossible(input any) string { return impossibleIn(reflect.ValueOf(input)) }

const facts = "/pkg/verify/downstream"

func impossibleIn(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return impossibleIn(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if found := impossibleIn(v.Index(i)); found != "" {
				return found
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if found := impossibleIn(v.MapIndex(key)); found != "" {
				return found
			}
		}
	case reflect.Struct:
		return impossibleStruct(v)
	default: // no object
	}
	return ""
}

func impossibleStruct(v reflect.Value) string {
	t := v.Type()
	for i := range v.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		named := strings.HasSuffix(t.PkgPath(), facts) && slices.Contains([]string{"Name", "Namespace", "Node"}, field.Name)
		if text := v.Field(i); named && text.Kind() == reflect.String && text.String() != "" && !objectName.MatchString(text.String()) {
			return fmt.Sprintf("%s with %s %q", t.Name(), strings.ToLower(field.Name), text.String())
		}
		if found := impossibleIn(v.Field(i)); found != "" {
			return found
		}
	}
	return ""
}
