package ccmchart

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// probe is a text that no values file contains, neither as a key nor as a value.
const probe = "awsmigrate-probe"

// Unreached returns the user's values that appear in no object: the chart does not have them,
// or does not use them with the other values. Helm does not report such values. Each is tested
// by rendering ch without it and with another value. If no value of a map appears, only the map
// is named.
func Unreached(in Inputs, ch *chart.Chart) []Concern {
	in.Chart = ch
	shown, ok := in.renderUserValues(in.UserValues)
	if !ok {
		return nil // Values itself returns the error
	}
	reached := func(path []string) bool {
		value := valueAt(in.UserValues, path)
		for _, other := range []map[string]any{withValue(in.UserValues, path, nil, false), withValue(in.UserValues, path, otherValue(value), true)} {
			if now, ok := in.renderUserValues(other); !ok || !reflect.DeepEqual(shown, now) {
				return true
			}
		}
		return false
	}
	var list []Concern
	for _, path := range findUnreached(in.UserValues, nil, reached) {
		key := strings.Join(path, ".")
		if key == "leaderMigration.enabled" {
			continue // awsmigrate sets it, and judgeUserValues reports it
		}
		why := "the chart does not have it, or does not use it with the other values"
		if strings.HasSuffix(key, "systemDefaultRegistry") || strings.HasPrefix(key, "global") {
			why = "no chart of the CCM has it: a registry for the image is given with --ccm-image"
		}
		list = append(list, Concern{Key: key, Seen: "reaches no object", Why: why})
	}
	return list
}

// renderUserValues returns the objects for the user's values; ok is false if the values are
// refused.
func (in Inputs) renderUserValues(user map[string]any) (any, bool) {
	in.UserValues = user
	values, err := Values(in)
	if err != nil {
		return nil, false
	}
	objects, err := Render(in.Chart, values.Values, in.KubernetesVersion)
	return objects, err == nil
}

// findUnreached returns the paths below a map that have no effect, or the map's own path if all
// have none.
func findUnreached(values map[string]any, path []string, reached func([]string) bool) [][]string {
	var list [][]string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		below := append(slices.Clone(path), key)
		sub, isMap := values[key].(map[string]any)
		if !isMap || len(sub) == 0 {
			if !reached(below) {
				list = append(list, below)
			}
			continue
		}
		inner := findUnreached(sub, below, reached)
		if leaves := countLeaves(sub); len(inner) > 0 && leavesOf(sub, below, inner) == leaves {
			inner = [][]string{below}
		}
		list = append(list, inner...)
	}
	return list
}

func countLeaves(values map[string]any) int {
	n := 0
	for _, value := range values {
		if sub, isMap := value.(map[string]any); isMap && len(sub) > 0 {
			n += countLeaves(sub)
			continue
		}
		n++
	}
	return n
}

// leavesOf counts the leaves at those paths that are below a prefix.
func leavesOf(values map[string]any, prefix []string, paths [][]string) int {
	n := 0
	for _, path := range paths {
		if sub, isMap := valueAt(values, path[len(prefix):]).(map[string]any); isMap && len(sub) > 0 {
			n += countLeaves(sub)
			continue
		}
		n++
	}
	return n
}

func valueAt(values map[string]any, path []string) any {
	var now any = values
	for _, key := range path {
		now = asMap(now)[key]
	}
	return now
}

// withValue returns a copy with another value at a path, or with none.
func withValue(values map[string]any, path []string, value any, keep bool) map[string]any {
	out := deepCopy(values)
	parent := out
	for _, key := range path[:len(path)-1] {
		parent = asMap(parent[key])
	}
	if keep {
		parent[path[len(path)-1]] = value
	} else {
		delete(parent, path[len(path)-1])
	}
	return out
}

// otherValue returns a different value of the same type.
func otherValue(value any) any {
	switch v := value.(type) {
	case bool:
		return !v
	case string:
		return v + probe
	case float64:
		return v + 1
	case int64:
		return v + 1
	case int:
		return v + 1
	case []any:
		return append(slices.Clone(v), map[string]any{"name": probe})
	case map[string]any:
		return map[string]any{probe: probe}
	}
	return probe
}
