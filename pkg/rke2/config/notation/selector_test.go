package notation

import "testing"

func TestSameSelector(t *testing.T) {
	in := map[string]any{"key": "role", "operator": "In", "values": []any{"a", "b"}}
	for name, tt := range map[string]struct {
		a, b any
		same bool
	}{
		"empty halves":        {map[string]any{"matchLabels": map[string]any{"a": "b"}}, map[string]any{"matchLabels": map[string]any{"a": "b"}, "matchExpressions": []any{}}, true},
		"null halves":         {map[string]any{"matchExpressions": []any{in}, "matchLabels": nil}, map[string]any{"matchExpressions": []any{in}}, true},
		"nothing in it":       {map[string]any{"matchLabels": map[string]any{}}, map[string]any{}, true},
		"values of Exists":    {map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Exists", "values": []any{}}}}, map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Exists"}}}, true},
		"absent and empty":    {nil, map[string]any{}, false},
		"another label":       {map[string]any{"matchLabels": map[string]any{"a": "b"}}, map[string]any{"matchLabels": map[string]any{"a": "c"}}, false},
		"an empty label":      {map[string]any{"matchLabels": map[string]any{"a": ""}}, map[string]any{}, false},
		"another value":       {map[string]any{"matchExpressions": []any{in}}, map[string]any{"matchExpressions": []any{map[string]any{"key": "role", "operator": "In", "values": []any{"a"}}}}, false},
		"no list":             {map[string]any{"matchExpressions": "x"}, map[string]any{}, false},
		"one expression more": {map[string]any{"matchExpressions": []any{in}}, map[string]any{"matchExpressions": []any{in, in}}, false},
	} {
		if got := SameSelector(tt.a, tt.b); got != tt.same {
			t.Errorf("%s: %t", name, got)
		}
	}
}
