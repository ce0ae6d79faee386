package bundle

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// objectName matches the names that a Kubernetes API accepts for objects, including the upper case
// and colons of roles
// (kubernetes/apimachinery:pkg/api/validation/path/name.go, util/validation).
var objectName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$`)

// findImpossible describes the first object whose name, namespace or node no API server accepts, or
// returns "". Bundles come from other people, and their names are pasted into commands.
func findImpossible(input any) string { return findImpossibleIn(reflect.ValueOf(input)) }

const facts, cloudFacts = "/pkg/verify/downstream", "/pkg/verify/cloud"

// cloudName matches names in AWS: an ID, a zone, an ARN. None begins with a dash.
var cloudName = regexp.MustCompile(`^[A-Za-z0-9][\w+=,.@:/-]{0,999}$`)

// names lists the fields that contain a name, by the package of the type, with the allowed form.
var names = []struct {
	pkg    string
	fields []string
	form   *regexp.Regexp
}{
	{facts, []string{"Name", "Namespace", "Node", "Kind"}, objectName},
	{cloudFacts, []string{"ID", "Zone", "Region", "VPC", "Subnet", "InstanceProfile", "Role"}, cloudName},
}

func findImpossibleIn(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return findImpossibleIn(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if found := findImpossibleIn(v.Index(i)); found != "" {
				return found
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if strings.HasSuffix(v.Type().Elem().PkgPath(), cloudFacts) && !cloudName.MatchString(key.String()) {
				return fmt.Sprintf("thing of AWS called %q", key.String())
			}
			if found := findImpossibleIn(v.MapIndex(key)); found != "" {
				return found
			}
		}
	case reflect.Struct:
		return findImpossibleField(v)
	default: // not an object
	}
	return ""
}

// hostPath matches the name of a mount of a machine's folder or file, which is its path.
var hostPath = regexp.MustCompile(`^/[^\x00-\x1f\x7f-\x9f]{0,999}$`)

func isHostPath(mount reflect.Value) bool {
	return mount.FieldByName("Kind").String() == "HostPath" && hostPath.MatchString(mount.FieldByName("Name").String())
}

func findImpossibleField(v reflect.Value) string {
	t := v.Type()
	if t == reflect.TypeFor[downstream.Mount]() && isHostPath(v) {
		return ""
	}
	for i := range v.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		text := v.Field(i)
		for _, n := range names {
			isName := strings.HasSuffix(t.PkgPath(), n.pkg) && slices.Contains(n.fields, field.Name)
			if isName && text.Kind() == reflect.String && text.String() != "" && !n.form.MatchString(text.String()) {
				return fmt.Sprintf("%s with %s %q", t.Name(), strings.ToLower(field.Name), text.String())
			}
		}
		if found := findImpossibleIn(v.Field(i)); found != "" {
			return found
		}
	}
	return ""
}
