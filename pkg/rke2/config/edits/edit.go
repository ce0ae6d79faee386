package edits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Edit is a change of a Cluster object, computed from one version of it. The zero Edit changes
// nothing.
type Edit struct {
	Object  string
	Changes []Change
	Notes   []string // facts that the reader should know before agreeing

	root string
}

// Change is one exact change, for people and for programs.
type Change struct {
	Location string // below rkeConfig
	Before   any    // nil if absent
	After    any    // nil if removed
	Diff     string // lines marked with +, - or a blank
	Added    int    // number of added lines
	Removed  int    // number of removed lines

	op op
}

// Empty reports whether nothing remains to change.
func (e Edit) Empty() bool { return len(e.Changes) == 0 }

// Apply returns the Spec after the edit. It returns an error of class Stale if s differs, in the
// places of the edit, from the Spec that the edit was computed from.
func (e Edit) Apply(s config.Spec) (config.Spec, error) {
	out := clone(s)
	for _, c := range e.Changes {
		if err := c.op.apply(&out); err != nil {
			return config.Spec{}, fmt.Errorf("apply edit to %s: %w", s.Object, err)
		}
	}
	return out, nil
}

// JSONPatch returns the edit as an RFC 6902 patch of the Cluster object. Tests before each
// operation compare the values that it was computed from, and the selector of its entry. They
// test nothing else, so that unrelated changes by Rancher's webhook and other writers do not make
// the patch fail.
func (e Edit) JSONPatch() ([]byte, error) {
	var ops []kube.PatchOp
	for _, c := range e.Changes {
		ops = append(ops, c.op.patch(e.root)...)
	}
	b, err := kube.JSONPatch(ops...)
	if err != nil {
		return nil, fmt.Errorf("write the JSON patch of %s: %w", e.Object, err)
	}
	return b, nil
}

// AppliedIn reports whether s, the Cluster or Rancher's copy of it, has the values that the edit
// wrote, and which are missing. It reads only the places of the edit, compares argument lists
// without their order, and finds moved entries by their selector.
func (e Edit) AppliedIn(s config.Spec) (applied bool, missing []string) {
	for _, c := range e.Changes {
		missing = append(missing, c.op.missing(s)...)
	}
	return len(missing) == 0, missing
}

// Diff formats the whole edit for people: each location with its lines.
func (e Edit) Diff() string {
	var b strings.Builder
	for _, c := range e.Changes {
		b.WriteString(c.Location + "\n" + c.Diff)
	}
	return b.String()
}

// Rolls returns the names of the machines whose configuration changes, and which thus restart
// RKE2.
func (e Edit) Rolls(s config.Spec, machines []config.Machine) ([]string, error) {
	after, err := e.Apply(s)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range machines {
		if !notation.Equal(config.Effective(s, m).Values(), config.Effective(after, m).Values()) {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// editor builds an Edit. It applies each operation to a copy at once, so that the next one is
// computed from the resulting state.
type editor struct {
	from  config.Spec // the Spec that the edit is computed from
	spec  config.Spec // the Spec after the operations so far
	edit  Edit
	known map[config.Location]bool // during an undo: places that the edit to undo wrote to
}

func newEditor(s config.Spec) *editor {
	return &editor{from: s, spec: clone(s), edit: Edit{Object: s.Object, root: s.Root}}
}

func (e *editor) do(o op) error {
	if err := o.apply(&e.spec); err != nil {
		return err
	}
	if set, ok := o.(setKey); ok && e.merge(set) {
		return nil
	}
	e.edit.Changes = append(e.edit.Changes, change(e.withAlready(o)))
	return nil
}

// withAlready records the places that held the arguments of o before the edit, so that an undo
// does not mistake those places for our arguments, moved.
func (e *editor) withAlready(o op) op {
	switch o := o.(type) {
	case setKey:
		if config.IsArgs(o.at.Key) {
			_, added := notation.Delta(o.before.value, o.after.value)
			o.already = e.placesWith(o.at.Key, added)
		}
		return o
	case addEntry:
		key, added := ownArgs(o.entry)
		o.already = e.placesWith(key, added)
		return o
	default:
		return o
	}
}

func (e *editor) placesWith(key string, added []notation.Element) []Where {
	if len(added) == 0 {
		return nil
	}
	var out []Where
	for _, p := range e.from.AllPlaces() {
		if !holdsAll(notation.Args(e.from.ValuesAt(p)[key]), values(added)) {
			continue
		}
		if p == config.Global {
			out = append(out, Where{Global: true})
			continue
		}
		out = append(out, whereIs(e.from, p, e.from.Entries[p].RawSelector))
	}
	return out
}

func change(o op) Change {
	before, after := o.values()
	text, added, removed := diff(before, after)
	return Change{Location: o.location(), Before: before, After: after, Diff: text, Added: added, Removed: removed, op: o}
}

// merge joins a change with an earlier one of the same place, so that readers, AppliedIn and
// Inverse see the sum of both. Changes of different keys commute. Entries that were added or
// removed in between move the places and end the search.
func (e *editor) merge(o setKey) bool {
	for i := len(e.edit.Changes) - 1; i >= 0; i-- {
		old, ok := e.edit.Changes[i].op.(setKey)
		if !ok || old.unmade || o.unmade {
			return false
		}
		if old.at != o.at {
			continue
		}
		if old.made && old.before.same(o.after) {
			return false
		}
		old.after = o.after
		e.edit.Changes[i] = change(e.withAlready(old))
		if old.before.same(old.after) {
			e.edit.Changes = slices.Delete(e.edit.Changes, i, i+1)
		}
		return true
	}
	return false
}

// set writes one key in one place. It does nothing if the value is already there.
func (e *editor) set(at config.Location, to cell) error {
	values := e.spec.ValuesAt(at.Place)
	v, ok := values[at.Key]
	before := cell{v, ok}
	if before.same(to) {
		return nil
	}
	return e.do(setKey{at: at, where: e.where(at.Place), before: before, after: to, made: values == nil})
}

func (e *editor) where(p config.Place) Where {
	if p == config.Global {
		return Where{Global: true}
	}
	return whereIs(e.spec, p, e.spec.Entries[p].RawSelector)
}

// insert adds an entry; drop removes one.
func (e *editor) insert(index int, entry config.Entry) error {
	w := whereIs(e.spec, config.Place(index), entry.RawSelector)
	w.Of++ // counts the new entry
	return e.do(addEntry{index: index, where: w, entry: entry, made: e.spec.Entries == nil})
}

func (e *editor) drop(p config.Place, key string, unmade bool) error {
	entry := e.spec.Entries[p]
	entry.Config = notation.CopyMap(entry.Config)
	w := e.where(p)
	w.Of-- // without the dropped entry
	return e.do(dropEntry{index: int(p), where: w, entry: entry, peers: peers(e.spec, key, p), unmade: unmade})
}

func (e *editor) note(format string, a ...any) {
	e.edit.Notes = append(e.edit.Notes, fmt.Sprintf(format, a...))
}

func refuse(object, reason, seen, wanted, fix string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}
