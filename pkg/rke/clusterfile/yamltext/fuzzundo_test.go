package yamltext_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// FuzzUndo undoes an edit after another writer changed the file.
func FuzzUndo(f *testing.F) {
	for n, g := range goldens(f) {
		for i := range migrationEdits() {
			switch (n + i) % 3 {
			case 0:
				f.Add(g.before, uint8(i), uint16(len(g.before)/2), uint16(0), "# x\n")
			case 1:
				f.Add(g.flagged, uint8(i), uint16(7), uint16(9*i), "")
			default:
				f.Add(g.flagged, uint8(i), uint16(11*i), uint16(0), "\n    w: x\n")
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, order uint8, at, cut uint16, put string) {
		file, err := yamltext.Parse("x.yml", text, reader())
		if err != nil {
			return
		}
		e, err := file.Edit(migrationEdits()[int(order)%len(migrationEdits())]...)
		if err != nil || e.Empty() {
			return
		}
		from := min(int(at), len(e.After))
		to := min(from+int(cut), len(e.After))
		later := slices.Concat(e.After[:from], []byte(put), e.After[to:])
		now, err := yamltext.Parse("x.yml", later, reader())
		if err != nil {
			return
		}
		back, err := now.Undo(e.Receipt(), e.Before)
		if err != nil {
			isRefusal(t, err)
			return
		}
		requireUndone(t, e, later, back.After)
	})
}

// requireUndone checks that every changed key is as before the edit, and the rest as in the
// text that was undone.
func requireUndone(t testing.TB, e yamltext.Edit, later, result []byte) {
	t.Helper()
	old, want, got := meaning(t, e.Before), meaning(t, later), meaning(t, result)
	for _, c := range e.Changes {
		if reaches(old, c.Path) != reaches(got, c.Path) ||
			fmt.Sprintf("%#v", lookup(old, c.Path)) != fmt.Sprintf("%#v", lookup(got, c.Path)) {
			t.Errorf("%v is not as it was\nbefore\n%s\nlater\n%s\nresult\n%s", c.Path, e.Before, later, result)
		}
	}
	for _, c := range e.Changes {
		want, got = without(want, c.Path), without(got, c.Path)
	}
	if w, g := fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got); w != g {
		t.Errorf("more than the edit was undone\nwanted %s\ngot    %s\nbefore\n%s\nlater\n%s\nresult\n%s", w, g, e.Before, later, result)
	}
}

// without removes a path, and mappings above it that become empty.
func without(v any, path []string) any {
	m, ok := v.(map[any]any)
	if !ok {
		return v
	}
	if len(path) == 1 {
		delete(m, path[0])
		return m
	}
	switch child := without(m[path[0]], path[1:]).(type) {
	case nil:
		delete(m, path[0])
	case map[any]any:
		if m[path[0]] = child; len(child) == 0 {
			delete(m, path[0])
		}
	}
	return m
}
