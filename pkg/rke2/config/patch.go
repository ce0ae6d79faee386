package config

import "strings"

// PatchOp is one operation of a JSON patch (RFC 6902). The value is always
// written, null included: testing for null is how "absent" is tested, which
// evanphx/json-patch 4.12 (Kubernetes 1.26) and later both read so.
type PatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

func test(path string, v any) PatchOp    { return PatchOp{"test", path, v} }
func add(path string, v any) PatchOp     { return PatchOp{"add", path, v} }
func replace(path string, v any) PatchOp { return PatchOp{"replace", path, v} }
func remove(path string) PatchOp         { return PatchOp{"remove", path, nil} }

// escape writes a key as a JSON pointer segment (RFC 6901).
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
