package configtree

import (
	"sort"
	"strings"
)

// LookUp finds the stored value of a key in either spelling.
func LookUp(state map[string]any, key string) any {
	if value, given := state[key]; given {
		return value
	}
	for stored, value := range state {
		if Folded(stored) == Folded(key) {
			return value
		}
	}
	return nil
}

// In is the mapping at a path, in either spelling of its keys.
func In(tree any, path ...string) map[string]any {
	for _, key := range path {
		tree = LookUp(Map(tree), key)
	}
	return Map(tree)
}

// Map is a value that is a mapping; nil for another.
func Map(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// List is a value that is a list; nil for another.
func List(v any) []any {
	list, _ := v.([]any)
	return list
}

// Join is the dotted path of a key.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Keys are those of a mapping, in order.
func Keys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// Folded makes the spellings of a key one: cluster.yml has kube-api and
// extra_args where the state has kubeApi and extraArgs.
func Folded(key string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
}
