package configtree

import (
	"slices"
	"testing"
)

// The spelling of the file takes precedence.
func TestLookUp(t *testing.T) {
	state := map[string]any{"kubeApi": "a", "kube-controller": "b", "kubeController": "c", "extraArgs": map[string]any{"max-pods": "1"}}
	for key, want := range map[string]any{"kube-api": "a", "kubeApi": "a", "kube-controller": "b", "kubeController": "c", "kubelet": nil} {
		if got := LookUp(state, key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if got := In(state, "extra_args"); got["max-pods"] != "1" || In(state, "extra_args", "max-pods") != nil || In(nil, "a") != nil || In("text", "a") != nil {
		t.Errorf("%v", got)
	}
	if Join("", "a") != "a" || Join("a", "b") != "a.b" || !slices.Equal(Keys(map[string]any{"b": 1, "a": 2}), []string{"a", "b"}) || len(List("text")) != 0 || len(List([]any{1})) != 1 {
		t.Error("paths, keys and lists are others")
	}
}
