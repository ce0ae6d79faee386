package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

func copyMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = copyValue(v)
	}
	return out
}

func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return copyMap(v)
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = copyValue(v[i])
		}
		return out
	default:
		return v
	}
}

// canonical is the JSON of a value: what two readings of the same field agree
// on, whatever Go types their decoders chose.
func canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		// Only a value that never was JSON gets here; it equals nothing.
		return fmt.Appendf(nil, "not JSON: %p %v", &v, err)
	}
	return b
}

func equal(a, b any) bool { return bytes.Equal(canonical(a), canonical(b)) }

func digest(v any) string {
	sum := sha256.Sum256(canonical(v))
	return hex.EncodeToString(sum[:])
}

// typeName names a JSON type for people.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	default:
		return "a number"
	}
}
