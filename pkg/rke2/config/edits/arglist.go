package edits

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// form is how a value of a *-arg key was written. Edits keep it: a string stays
// a string while one argument is enough. RKE2 takes a string as one argument,
// commas included (k3s-io/k3s:pkg/configfilearg/parser.go), so a second one
// makes it a list.
type form string

const (
	formAbsent form = "absent"
	formNull   form = "null"
	formString form = "string"
	formList   form = "list"
	formOther  form = "other" // a number, a map, a boolean: not arguments
)

func formOf(c cell) form {
	switch v := c.value.(type) {
	case nil:
		if c.there {
			return formNull
		}
		return formAbsent
	case string:
		return formString
	case []any:
		_ = v
		return formList
	default:
		return formOther
	}
}

func elements(c cell) []any {
	switch v := c.value.(type) {
	case string:
		if v == "" {
			return nil
		}
		return []any{v}
	case []any:
		return slices.Clone(v)
	default:
		return nil
	}
}

// write gives arguments the form f. What is left empty stays an empty list and
// never becomes an empty string: Rancher would turn that into an argument
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 renderArgAndMount).
func (f form) write(elems []any) cell {
	if f == formString && len(elems) == 1 {
		if s, ok := elems[0].(string); ok {
			return present(s)
		}
	}
	if elems == nil {
		elems = []any{}
	}
	return present(elems)
}

// without takes out every argument that sets the flag, whatever its spelling.
func without(elems []any, drop func(arg string) bool) []any {
	return slices.DeleteFunc(slices.Clone(elems), func(v any) bool { return drop(notation.Text(v)) })
}

func isLeaderMigration(arg string) bool { return notation.FlagName(arg) == config.FlagLeaderMigration }

func isExternal(arg string) bool {
	return notation.FlagName(arg) == config.FlagProvider && notation.FlagValue(arg) == config.ProviderExternal
}
