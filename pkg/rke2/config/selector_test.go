package config

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSameSelector(t *testing.T) {
	in := map[string]any{"key": "role", "operator": "In", "values": []any{"a", "b"}}
	for name, tt := range map[string]struct {
		a, b any
		same bool
	}{
		"empty halves":        {map[string]any{"matchLabels": map[string]any{"a": "b"}}, map[string]any{"matchLabels": map[string]any{"a": "b"}, "matchExpressions": []any{}}, true},
		"null halves":         {map[string]any{"matchExpressions": []any{in}, "matchLabels": nil}, map[string]any{"matchExpressions": []any{in}}, true},
		"nothing in it":       {map[string]any{"matchLabels": map[string]any{}}, map[string]any{}, true},
		"values of Exists":    {map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Exists", "values": []any{}}}}, map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Exists"}}}, true},
		"absent and empty":    {nil, map[string]any{}, false},
		"another label":       {map[string]any{"matchLabels": map[string]any{"a": "b"}}, map[string]any{"matchLabels": map[string]any{"a": "c"}}, false},
		"an empty label":      {map[string]any{"matchLabels": map[string]any{"a": ""}}, map[string]any{}, false},
		"another value":       {map[string]any{"matchExpressions": []any{in}}, map[string]any{"matchExpressions": []any{map[string]any{"key": "role", "operator": "In", "values": []any{"a"}}}}, false},
		"no list":             {map[string]any{"matchExpressions": "x"}, map[string]any{}, false},
		"one expression more": {map[string]any{"matchExpressions": []any{in}}, map[string]any{"matchExpressions": []any{in, in}}, false},
	} {
		if got := sameSelector(tt.a, tt.b); got != tt.same {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// rewritten is a configuration as a client gives it back that reads and writes the
// typed object, or as Rancher's UI does, which adds the empty half.
func rewritten(t *testing.T, rke map[string]any, typed bool) map[string]any {
	t.Helper()
	out := copyMap(rke)
	list, _ := out["machineSelectorConfig"].([]any)
	for _, one := range list {
		entry, _ := one.(map[string]any)
		raw, isMap := entry["machineLabelSelector"].(map[string]any)
		if !isMap {
			continue
		}
		var selector metav1.LabelSelector
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &selector); err != nil {
			t.Fatal(err)
		}
		again, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&selector)
		if err != nil {
			t.Fatal(err)
		}
		if !typed {
			for half, empty := range map[string]any{"matchLabels": map[string]any{}, "matchExpressions": []any{}} {
				if again[half] == nil {
					again[half] = empty
				}
			}
		}
		entry["machineLabelSelector"] = again
	}
	return out
}

// TestUndoAfterARewrite: whoever wrote the whole object back in between, the edit is
// seen as applied, and its inverse gives back what a rewrite alone would have left.
func TestUndoAfterARewrite(t *testing.T) {
	undone := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := randomWorld(r)
		before := rewritten(t, w.rke, r.IntN(2) == 0) // either spelling to begin with
		s := parse(t, before)
		for _, name := range []string{"enable", "external", "overrides", "back"} {
			e, err := compute(name, s, w.machines)
			if err != nil || e.Empty() {
				continue
			}
			after, err := e.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, typed := range []bool{true, false} {
				what := fmt.Sprintf("seed %d, %s, typed %t", seed, name, typed)
				now := parse(t, rewritten(t, content(after), typed))
				if ok, missing := e.AppliedIn(now); !ok {
					t.Fatalf("%s: not applied: %v\n%s", what, missing, canonical(before))
				}
				inverse, err := e.Inverse().Edit(now)
				if err != nil {
					t.Fatalf("%s: %v\n%s", what, err, canonical(before))
				}
				back, err := inverse.Apply(now)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				same(t, what, rewritten(t, content(back), true), rewritten(t, before, true))
				undone++
			}
			if t.Failed() {
				t.Fatalf("of %s", canonical(before))
			}
		}
	}
	if undone < 500 {
		t.Errorf("only %d undos were tried", undone)
	}
}
