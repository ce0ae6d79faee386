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

const facts, cloudFacts = "/pkg/verify/downstream", "/pkg/verify/cloud"

// cloudName is what AWS calls a thing: an id, a zone, an ARN. None begins with a dash.
var cloudName = regexp.MustCompile(`^[A-Za-z0-9][\w+=,.@:/-]{0,999}$`)

// names are the fields that name a thing, by the package of its type, with what such
// a name can be.
var names = []struct {
	pkg    string
	fields []string
	form   *regexp.Regexp
}{
	{facts, []string{"Name", "Namespace", "Node", "Kind"}, objectName},
	{cloudFacts, []string{"ID", "Zone", "Region", "VPC", "Subnet", "InstanceProfile", "Role"}, cloudName},
}

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
			if strings.HasSuffix(v.Type().Elem().PkgPath(), cloudFacts) && !cloudName.MatchString(key.String()) {
				return fmt.Sprintf("thing of AWS called %q", key.String())
			}
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
		text := v.Field(i)
		for _, n := range names {
			named := strings.HasSuffix(t.PkgPath(), n.pkg) && slices.Contains(n.fields, field.Name)
			if named && text.Kind() == reflect.String && text.String() != "" && !n.form.MatchString(text.String()) {
				return fmt.Sprintf("%s with %s %q", t.Name(), strings.ToLower(field.Name), text.String())
			}
		}
		if found := impossibleIn(v.Field(i)); found != "" {
			return found
		}
	}
	return ""
}
