package notation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// CopyMap returns a deep copy of a map, or nil.
func CopyMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = Copy(v)
	}
	return out
}

// Copy returns a deep copy of a value.
func Copy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return CopyMap(v)
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = Copy(v[i])
		}
		return out
	default:
		return v
	}
}

// Canonical returns the JSON of a value. It is the same for all decoders, regardless of the Go
// types that they return.
func Canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		// Only values that did not come from JSON reach this; they equal nothing.
		return fmt.Appendf(nil, "not JSON: %p %v", &v, err)
	}
	return b
}

// Equal reports whether two values have the same JSON.
func Equal(a, b any) bool { return bytes.Equal(Canonical(a), Canonical(b)) }

// Digest returns a hash of the JSON of a value.
func Digest(v any) string {
	sum := sha256.Sum256(Canonical(v))
	return hex.EncodeToString(sum[:])
}

// TypeName returns the name of a JSON type for people.
func TypeName(v any) string {
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
