package kube_test

import (
	"math"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
)

func TestJSONPatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		ops  []kube.PatchOp
		want string
	}{
		{"write after its test", []kube.PatchOp{kube.Test("/a", "x"), kube.Replace("/a", "y")},
			`[{"op":"test","path":"/a","value":"x"},{"op":"replace","path":"/a","value":"y"}]`},
		{"absent is null", []kube.PatchOp{kube.Test("/a", nil), kube.Add("/a", map[string]any{"b": int64(1)})},
			`[{"op":"test","path":"/a","value":null},{"op":"add","path":"/a","value":{"b":1}}]`},
		{"removal has no value", []kube.PatchOp{kube.Remove("/a")}, `[{"op":"remove","path":"/a"}]`},
		{"text that Go quotes differently", []kube.PatchOp{kube.Test("/a", "\a\v\x7f\u00a0")},
			"[{\"op\":\"test\",\"path\":\"/a\",\"value\":\"\\u0007\\u000b\x7f\u00a0\"}]"},
		{"no operations", nil, `[]`},
	} {
		if got, err := kube.JSONPatch(tt.ops...); err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", tt.name, err, got, tt.want)
		}
	}
	if _, err := kube.JSONPatch(kube.Add("/a", math.NaN())); err == nil {
		t.Error("encoded a value that JSON cannot hold")
	}
}

func TestPointer(t *testing.T) {
	for want, keys := range map[string][]string{
		"":                                   nil,
		"/spec/a":                            {"spec", "a"},
		"/metadata/annotations/x.io~1paused": {"metadata", "annotations", "x.io/paused"},
		"/~01/":                              {"~1", ""},
	} {
		if got := kube.Pointer(keys...); got != want {
			t.Errorf("%q: %s, want %s", keys, got, want)
		}
	}
}
