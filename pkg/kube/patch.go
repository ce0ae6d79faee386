package kube

import (
	"encoding/json"
	"fmt"
	"strings"
)

// PatchOp is one operation of a JSON patch (RFC 6902). An API server applies all
// operations of a patch or none: a Test before a write makes it hold only for the
// value that the write was computed from.
type PatchOp struct {
	op    string
	path  string
	value any
}

// Test makes the whole patch fail unless the value at the path, a JSON pointer, is v.
// Testing for nil is how "absent" is tested: evanphx/json-patch 4.12 (Kubernetes
// 1.26) and later both read null so.
func Test(path string, v any) PatchOp { return PatchOp{"test", path, v} }

// Add sets what may be absent; everything above it must be there.
func Add(path string, v any) PatchOp { return PatchOp{"add", path, v} }

// Replace sets what must be there.
func Replace(path string, v any) PatchOp { return PatchOp{"replace", path, v} }

// Remove takes away what must be there.
func Remove(path string) PatchOp { return PatchOp{"remove", path, nil} }

// MarshalJSON writes the value of every operation that has one, null included.
func (o PatchOp) MarshalJSON() ([]byte, error) {
	type bare struct {
		Op   string `json:"op"`
		Path string `json:"path"`
	}
	if o.op == "remove" {
		return json.Marshal(bare{o.op, o.path})
	}
	return json.Marshal(struct {
		bare
		Value any `json:"value"`
	}{bare{o.op, o.path}, o.value})
}

// JSONPatch writes a patch. It fails for a value that JSON cannot hold.
func JSONPatch(ops ...PatchOp) ([]byte, error) {
	if ops == nil {
		ops = []PatchOp{}
	}
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, fmt.Errorf("write a JSON patch: %w", err)
	}
	return text, nil
}

// Pointer is the JSON pointer (RFC 6901) of a value below these keys.
func Pointer(keys ...string) string {
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	return b.String()
}
