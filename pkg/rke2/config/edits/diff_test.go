package edits

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// Only the marks count, not the beginning of a line: a list item begins with the mark of a
// removed line.
func TestDiff_listItems_counted(t *testing.T) {
	for _, tt := range []struct {
		name           string
		before, after  any
		text           string
		added, removed int
	}{
		{"a list item", []any{"feature-gates=X"}, []any{"feature-gates=X", "enable-leader-migration"},
			"    - feature-gates=X\n  + - enable-leader-migration\n", 1, 0},
		{"a list item goes", []any{"a", "b"}, []any{"a"}, "    - a\n  - - b\n", 0, 1},
		{"a value", "aws", "external", "  - aws\n  + external\n", 1, 1},
		{"lines with marks of their own", "- a\n+ b", "+ b\n- a", "  + + b\n    - a\n  - + b\n", 1, 1},
		{"from nothing", nil, map[string]any{"a": "b", "c": "d"}, "  + a: b\n  + c: d\n", 2, 0},
		{"to nothing", "a: b\n---\nc: d\n", nil, "  - a: b\n  - ---\n  - c: d\n", 0, 3},
		{"the same", "a", "a", "    a\n", 0, 0},
		{"nothing", nil, nil, "", 0, 0},
	} {
		if text, added, removed := diff(tt.before, tt.after); text != tt.text || added != tt.added || removed != tt.removed {
			t.Errorf("%s: +%d −%d, want +%d −%d, of\n%s", tt.name, added, removed, tt.added, tt.removed, text)
		}
	}
}

func TestMerge_twoChanges_countsSum(t *testing.T) {
	e := newEditor(config.Spec{Global: map[string]any{config.KeyProvider: "aws"}})
	for _, to := range []string{"one", "external"} {
		if err := e.set(config.Location{Place: config.Global, Key: config.KeyProvider}, present(to)); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.edit.Changes) != 1 || e.edit.Changes[0].Added != 1 || e.edit.Changes[0].Removed != 1 || e.edit.Changes[0].Diff != "  - aws\n  + external\n" {
		t.Fatalf("%+v", e.edit.Changes)
	}
}
