package ccmchart

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// merge merges over into a copy of base as Helm does: maps by key, other values replaced. A
// null is kept, since it removes a default of the chart.
func merge(base, over map[string]any) map[string]any {
	out := deepCopy(base)
	for key, value := range over {
		sub, isMap := value.(map[string]any)
		if have, both := out[key].(map[string]any); isMap && both {
			out[key] = merge(have, sub)
			continue
		}
		out[key] = deepCopyValue(value)
	}
	return out
}

func deepCopy(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[key] = deepCopyValue(value)
	}
	return out
}

func deepCopyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return deepCopy(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = deepCopyValue(v[i])
		}
		return out
	}
	return v
}

// asMap returns v if it is a map, and otherwise an empty one.
func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// stringList returns a decoded YAML list of strings; it is empty for nil.
func stringList(v any) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%T is not a list", v)
	}
	out := make([]string, 0, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("item %d is %T, not a string", i, item)
		}
		out = append(out, text)
	}
	return out, nil
}

// contains reports whether a list has the word or "*".
func contains(v any, word string) bool {
	list, err := stringList(v)
	if err != nil {
		return false
	}
	for _, item := range list {
		if item == word || item == "*" {
			return true
		}
	}
	return false
}

func tolerationsOf(values map[string]any) []corev1.Toleration {
	list, _ := values["tolerations"].([]any)
	out := make([]corev1.Toleration, 0, len(list))
	text := func(v any) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	for _, item := range list {
		t := asMap(item)
		out = append(out, corev1.Toleration{
			Key:      text(t["key"]),
			Operator: corev1.TolerationOperator(text(t["operator"])),
			Value:    text(t["value"]),
			Effect:   corev1.TaintEffect(text(t["effect"])),
		})
	}
	return out
}
