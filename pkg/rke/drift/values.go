package drift

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
)

// same reports whether a value of cluster.yml equals a stored one exactly.
func same(file, state any) bool {
	switch file := file.(type) {
	case configtree.Text:
		return sameScalar(file, state)
	case nil:
		return state == nil || state == ""
	case []any:
		stored, ok := state.([]any)
		return (ok || state == nil) && slices.EqualFunc(file, stored, same)
	case map[string]any:
		stored, ok := state.(map[string]any)
		if !ok && state != nil || len(stored) != len(file) {
			return false
		}
		for key, value := range file {
			if was, given := stored[key]; !given || !same(value, was) {
				return false
			}
		}
		return true
	}
	return false
}

// nothing reports whether a value of cluster.yml sets nothing: rke stores no empty values, and
// neither false nor zero if there is no default.
func nothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case configtree.Text:
		on, isBool := configtree.Bool(string(v))
		n, isNumber := configtree.Number(string(v))
		return v == "" || isBool && !on || isNumber && n == 0
	case map[string]any:
		for _, child := range v {
			if !nothing(child) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

// sameScalar compares the source text with the stored value: numbers by value, and the words of
// YAML 1.1 for true and false by meaning.
func sameScalar(file configtree.Text, state any) bool {
	switch state := state.(type) {
	case string:
		return string(file) == state || sameNumber(string(file), state) || sameBool(string(file), state)
	case float64:
		n, ok := configtree.Number(string(file))
		return ok && n == state
	case bool:
		b, ok := configtree.Bool(string(file))
		return ok && b == state
	case nil:
		return nothing(file)
	}
	return false
}

func sameNumber(a, b string) bool {
	x, ok := configtree.Number(a)
	y, also := configtree.Number(b)
	return ok && also && x == y
}

func sameBool(a, b string) bool {
	x, ok := configtree.Bool(a)
	y, also := configtree.Bool(b)
	return ok && also && x == y
}
