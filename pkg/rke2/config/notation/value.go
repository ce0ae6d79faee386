package notation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// CopyMap is a copy of a map that shares nothing with it; nil of nil.
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

// Copy is a copy of a value that shares no list and no map with it.
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

// Canonical is the JSON of a value: what two readings of the same field agree
// on, whatever Go types their decoders chose.
func Canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		// Only a value that never was JSON gets here; it equals nothing.
		return fmt.Appendf(nil, "not JSON: %p %v", &v, err)
	}
	return b
}

// Equal says whether two values are the same JSON.
func Equal(a, b any) bool { return bytes.Equal(Canonical(a), Canonical(b)) }

// Digest is a hash of the JSON of a value.
func Digest(v any) string {
	sum := sha256.Sum256(Canonical(v))
	return hex.EncodeToString(sum[:])
}

// TypeName names a JSON type for people.
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
