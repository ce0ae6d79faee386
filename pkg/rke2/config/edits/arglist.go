package edits

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// form is the notation of a value of a *-arg key. Edits keep it: a string remains a string as
// long as one argument suffices. RKE2 treats a string as one argument, commas included
// (k3s-io/k3s:pkg/configfilearg/parser.go), so a second one makes it a list.
type form string

const (
	formAbsent form = "absent"
	formNull   form = "null"
	formString form = "string"
	formList   form = "list"
	formOther  form = "other" // a number, a map or a boolean, which are not arguments
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

// write returns arguments in the form f. An empty list remains an empty list and never becomes an
// empty string: Rancher would turn that into an argument
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

// removeArgs removes every argument that drop selects.
func removeArgs(elems []any, drop func(arg string) bool) []any {
	return slices.DeleteFunc(slices.Clone(elems), func(v any) bool { return drop(notation.Text(v)) })
}

func isLeaderMigration(arg string) bool { return notation.FlagName(arg) == config.FlagLeaderMigration }

func isExternal(arg string) bool {
	return notation.FlagName(arg) == config.FlagProvider && notation.FlagValue(arg) == config.ProviderExternal
}
