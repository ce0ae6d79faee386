package edits

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rewritten returns a configuration as written by a client of the typed object, or by Rancher's
// UI, which adds empty fields.
func rewritten(t *testing.T, rke map[string]any, typed bool) map[string]any {
	t.Helper()
	out := notation.CopyMap(rke)
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

// TestInverse_rewrittenObject_restores rewrites the whole object between an edit and its undo.
// The edit counts as applied, and its inverse gives the result of the rewrite alone.
func TestInverse_rewrittenObject_restores(t *testing.T) {
	undone := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := randomWorld(r)
		before := rewritten(t, w.rke, r.IntN(2) == 0) // either notation at first
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
					t.Fatalf("%s: not applied: %v\n%s", what, missing, notation.Canonical(before))
				}
				inverse, err := stored(t, e.Inverse()).Edit(now)
				if err != nil {
					t.Fatalf("%s: %v\n%s", what, err, notation.Canonical(before))
				}
				back, err := inverse.Apply(now)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				same(t, what, rewritten(t, content(back), true), rewritten(t, before, true))
				undone++
			}
			if t.Failed() {
				t.Fatalf("of %s", notation.Canonical(before))
			}
		}
	}
	if undone < 500 {
		t.Errorf("only %d undos were tried", undone)
	}
}
