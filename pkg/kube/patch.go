package kube

import (
	"encoding/json"
	"fmt"
	"strings"
)

// PatchOp is one operation of a JSON patch (RFC 6902). An API server applies all operations of
// a patch or none. A Test before a write therefore limits the write to the value that it was
// computed from.
type PatchOp struct {
	op    string
	path  string
	value any
}

// Test makes the whole patch fail unless the value at path, a JSON pointer, is v. Test for nil
// to require that the value is absent: evanphx/json-patch 4.12 (Kubernetes 1.26) and later
// read null that way.
func Test(path string, v any) PatchOp { return PatchOp{"test", path, v} }

// Add sets a value that may be absent; its parent must exist.
func Add(path string, v any) PatchOp { return PatchOp{"add", path, v} }

// Replace sets a value that must exist.
func Replace(path string, v any) PatchOp { return PatchOp{"replace", path, v} }

// Remove removes a value that must exist.
func Remove(path string) PatchOp { return PatchOp{"remove", path, nil} }

// MarshalJSON writes the value of every operation but remove, even if it is null.
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

// JSONPatch encodes a patch. It returns an error if JSON cannot hold a value.
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

// Pointer returns the JSON pointer (RFC 6901) of the value below these keys.
func Pointer(keys ...string) string {
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	return b.String()
}
