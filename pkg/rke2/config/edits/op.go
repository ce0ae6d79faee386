package edits

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// op is one change of a Spec. Operations are applied in order; indices of each refer to the state
// before it.
type op interface {
	location() string
	// apply changes s. It returns an error if s is not the state that was read.
	apply(s *config.Spec) error
	// patch returns the change as JSON patch operations below the pointer root.
	patch(root string) []kube.PatchOp
	// values returns the values to show to people.
	values() (before, after any)
	// missing describes the parts of the change that s does not have.
	missing(s config.Spec) []string
	// undo returns the record for the journal.
	undo() Undo
}

func stale(object, where, seen string) error {
	return &fault.Error{
		Class: fault.Stale, Reason: "ConfigMoved", Object: object,
		Seen:   where + " " + seen,
		Wanted: "the value that the change was computed from",
		Fix:    "look at what changed it, then plan again",
	}
}

// cell is a value that may be absent. Null counts as a value: it hides the value of a weaker
// place.
type cell struct {
	value any
	there bool
}

func absent() cell       { return cell{} }
func present(v any) cell { return cell{value: v, there: true} }
func (c cell) same(o cell) bool {
	return c.there == o.there && notation.Equal(c.value, o.value)
}

// shown returns the value for people and for JSON output, or nil if absent.
func (c cell) shown() any { return c.value }

type setKey struct {
	at      config.Location
	where   Where // the same place, by its content
	before  cell
	after   cell
	made    bool    // the map at the place is absent or null and is created
	already []Where // places that already had the added arguments
	unmade  bool    // the map, which we created, becomes empty and is removed
}

func (o setKey) location() string            { return o.at.String() }
func (o setKey) values() (before, after any) { return o.before.shown(), o.after.shown() }

func (o setKey) apply(s *config.Spec) error {
	p := o.at.Place
	if p >= 0 && (int(p) >= len(s.Entries) || !notation.Equal(s.Entries[p].RawSelector, o.where.Selector)) {
		return stale(s.Object, p.String(), "is another entry now")
	}
	values := s.ValuesAt(p)
	if o.made != (values == nil) {
		return stale(s.Object, p.String(), "appeared or went away")
	}
	v, ok := values[o.at.Key]
	if !o.before.same(cell{v, ok}) {
		return stale(s.Object, o.at.String(), "changed since it was read")
	}
	if values == nil {
		values = map[string]any{}
	}
	if o.after.there {
		values[o.at.Key] = notation.Copy(o.after.value)
	} else {
		delete(values, o.at.Key)
	}
	if o.unmade {
		if len(values) > 0 {
			return stale(s.Object, p.String(), "holds other keys now")
		}
		values = nil
	}
	setValues(s, p, values)
	return nil
}

func (o setKey) patch(root string) []kube.PatchOp {
	var ops []kube.PatchOp
	container := root + "/machineGlobalConfig"
	if p := o.at.Place; p >= 0 {
		entry := fmt.Sprintf("%s/machineSelectorConfig/%d", root, int(p))
		ops = append(ops, kube.Test(entry+"/machineLabelSelector", o.where.Selector))
		container = entry + "/config"
	}
	path := container + kube.Pointer(o.at.Key)
	switch {
	case o.made:
		return append(ops, kube.Test(container, nil), kube.Add(container, map[string]any{o.at.Key: o.after.value}))
	case o.unmade:
		return append(ops, kube.Test(container, map[string]any{o.at.Key: o.before.value}), kube.Remove(container))
	}
	ops = append(ops, kube.Test(path, o.before.value))
	switch {
	case !o.after.there:
		return append(ops, kube.Remove(path))
	case o.before.there:
		return append(ops, kube.Replace(path, o.after.value))
	default:
		return append(ops, kube.Add(path, o.after.value))
	}
}

func (o setKey) missing(s config.Spec) []string {
	var nearest string
	for _, p := range o.where.candidates(s) {
		v, ok := s.ValuesAt(p)[o.at.Key]
		lack := o.describeMissing(config.Location{Place: p, Key: o.at.Key}, cell{v, ok})
		if lack == "" {
			return nil
		}
		if nearest == "" {
			nearest = lack
		}
	}
	if nearest == "" {
		nearest = o.at.Place.String() + ": the entry is gone"
	}
	return []string{nearest}
}

// describeMissing describes the missing part of the change, or is empty. It compares argument
// lists without their order: others may add to them, and Rancher's webhook reorders some
// (rancher/webhook: pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go@v0.4.18
// setKubeAPIServerArg).
func (o setKey) describeMissing(at config.Location, now cell) string {
	if !config.IsArgs(o.at.Key) {
		if now.same(o.after) {
			return ""
		}
		return fmt.Sprintf("%s: wanted %s", at, words(o.after))
	}
	have, wanted := notation.Args(now.value), notation.Args(o.after.value)
	removed, added := notation.Delta(o.before.value, o.after.value)
	for _, e := range added {
		if count(have, e.Value) < count(wanted, e.Value) {
			return fmt.Sprintf("%s: wanted %s", at, e.Value)
		}
	}
	for _, e := range removed {
		if count(have, e.Value) > count(wanted, e.Value) {
			return fmt.Sprintf("%s: wanted no %s", at, e.Value)
		}
	}
	for _, a := range wanted {
		if count(have, a) < count(wanted, a) {
			return fmt.Sprintf("%s: wanted what was there before (%s)", at, notation.FlagName(a))
		}
	}
	return ""
}

func words(c cell) string {
	if !c.there {
		return "nothing"
	}
	return string(notation.Canonical(c.value))
}
