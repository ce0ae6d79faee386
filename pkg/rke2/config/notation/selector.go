package notation

// SameSelector says whether two selectors, as they were read, select by the same
// terms. Rancher's UI writes empty halves (rancher/dashboard), and whatever writes
// the typed object drops them; a selector that is absent is another than an empty
// one, although both match every machine: where Rancher looks for entries without
// one it means the absent.
func SameSelector(a, b any) bool { return Equal(NormalSelector(a), NormalSelector(b)) }

// NormalSelector leaves out what an empty list or map, or a null, says: nothing.
func NormalSelector(raw any) any {
	selector, isMap := raw.(map[string]any)
	if !isMap {
		return raw
	}
	out := map[string]any{}
	for key, value := range selector {
		if key == "matchExpressions" {
			value = normalExpressions(value)
		}
		if !isNothing(value) {
			out[key] = value
		}
	}
	return out
}

func normalExpressions(value any) any {
	list, isList := value.([]any)
	if !isList {
		return value
	}
	out := make([]any, 0, len(list))
	for _, one := range list {
		out = append(out, NormalSelector(one))
	}
	return out
}

func isNothing(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
