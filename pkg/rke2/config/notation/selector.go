package notation

// SameSelector reports whether two selectors, as they were read, select by the same terms.
// Rancher's UI writes empty fields (rancher/dashboard), and clients of the typed object drop
// them. An absent selector differs from an empty one, although both match every machine: where
// Rancher looks for entries without a selector, it means the absent one.
func SameSelector(a, b any) bool { return Equal(NormalSelector(a), NormalSelector(b)) }

// NormalSelector removes empty lists, empty maps and nulls, which mean nothing.
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
