package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// differences returns the values that only one set of objects has, a line for each: "-
// Deployment/awsmigrate spec.replicas: 1", "+ Deployment/awsmigrate spec.replicas: 2".
func differences(t *testing.T, before, after []unstructured.Unstructured) []string {
	t.Helper()
	had, has := lines(t, before), lines(t, after)
	var all []string
	for line := range had {
		if !has[line] {
			all = append(all, "- "+line)
		}
	}
	for line := range has {
		if !had[line] {
			all = append(all, "+ "+line)
		}
	}
	slices.Sort(all)
	return all
}

// lines returns all values in objects, each with its path.
func lines(t *testing.T, objects []unstructured.Unstructured) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, object := range objects {
		where := object.GetKind() + "/" + object.GetName()
		if namespace := object.GetNamespace(); namespace != "" {
			where += " in " + namespace
		}
		flatten(t, where+" ", object.Object, all)
	}
	return all
}

// flatten identifies an item of a list by its name, or else by its content: the order has no
// meaning in these objects.
func flatten(t *testing.T, at string, value any, into map[string]bool) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			flatten(t, at+"."+key, inner, into)
		}
	case []any:
		for _, element := range value {
			inner, _ := element.(map[string]any)
			if name, named := inner["name"].(string); named {
				flatten(t, at+"["+name+"]", element, into)
				continue
			}
			into[at+" has "+asJSON(t, element)] = true
		}
	default:
		into[fmt.Sprintf("%s: %v", at, value)] = true
	}
}

// unexpected returns differences without an expectation, and expectations without a difference.
// An expectation is the beginning of a difference, or with dots its beginning and a part of it.
func unexpected(all, wanted []string) (surprising, missing []string) {
	met := map[string]bool{}
	for _, difference := range all {
		known := false
		for _, want := range wanted {
			begin, part, _ := strings.Cut(want, "…")
			if strings.HasPrefix(difference, begin) && strings.Contains(difference[len(begin):], part) {
				known, met[want] = true, true
			}
		}
		if !known {
			surprising = append(surprising, difference)
		}
	}
	for _, want := range wanted {
		if !met[want] {
			missing = append(missing, want)
		}
	}
	return surprising, missing
}

func TestDifferences(t *testing.T) {
	object := func(text string) []unstructured.Unstructured {
		return []unstructured.Unstructured{{Object: parsed(t, "{kind: A, metadata: {name: a}, "+text+"}")}}
	}
	got := differences(t, object("size: 1, list: [x, y], env: [{name: b, value: c}]"), object("size: 2, list: [z, x, y], env: [{name: b, value: d}]"))
	want := []string{"+ A/a .env[b].value: d", `+ A/a .list has "z"`, "+ A/a .size: 2", "- A/a .env[b].value: c", "- A/a .size: 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	surprising, missing := unexpected(got, []string{"+ A/a …env", "- A/a ", "+ A/a .size: 3"})
	if !slices.Equal(surprising, []string{`+ A/a .list has "z"`, "+ A/a .size: 2"}) || !slices.Equal(missing, []string{"+ A/a .size: 3"}) {
		t.Errorf("surprising %q, missing %q", surprising, missing)
	}
}
