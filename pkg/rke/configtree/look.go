package configtree

import (
	"sort"
	"strings"
)

// LookUp returns the stored value of a key in either spelling.
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

// In returns the mapping at a path, with its keys in either spelling.
func In(tree any, path ...string) map[string]any {
	for _, key := range path {
		tree = LookUp(Map(tree), key)
	}
	return Map(tree)
}

// Map returns a value as a mapping, or nil.
func Map(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// List returns a value as a list, or nil.
func List(v any) []any {
	list, _ := v.([]any)
	return list
}

// Join returns the dotted path of a key.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Keys returns the keys of a mapping, sorted.
func Keys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// Folded returns a common spelling of a key: cluster.yml has kube-api and extra_args where the
// state has kubeApi and extraArgs.
func Folded(key string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
}
