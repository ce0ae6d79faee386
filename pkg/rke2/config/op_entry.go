package config

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// addEntry puts an entry of ours into machineSelectorConfig.
type addEntry struct {
	index   int
	where   Where // once it is there
	entry   Entry
	already []Where // places that held its arguments before
	made    bool    // the list is absent or null and is created
}

// dropEntry takes out an entry that carries nothing but what is ours.
type dropEntry struct {
	index  int
	where  Where // once it is gone
	entry  Entry
	unmade bool   // the list was created by us and goes away with its last entry
	peers  string // digest of the other places that set the key
}

func entryName(i int) string { return fmt.Sprintf("machineSelectorConfig[%d]", i) }

// shape is an entry as it is in the Cluster object.
func (e Entry) shape() map[string]any {
	out := map[string]any{"config": e.Config}
	if e.rawSelector != nil {
		out["machineLabelSelector"] = e.rawSelector
	}
	return out
}

func (e Entry) same(o Entry) bool {
	return notation.Equal(e.shape(), o.shape()) && slices.Equal(e.Strays, o.Strays)
}

func (o addEntry) location() string            { return entryName(o.index) }
func (o addEntry) values() (before, after any) { return nil, o.entry.shape() }

func (o addEntry) apply(s *Spec) error {
	if o.made != (s.Entries == nil) || o.index > len(s.Entries) {
		return stale(s.Object, "machineSelectorConfig", "has other entries now")
	}
	e := o.entry
	e.Config = notation.CopyMap(e.Config)
	s.Entries = slices.Insert(s.Entries, o.index, e)
	return nil
}

func (o addEntry) patch(root string) []kube.PatchOp {
	list := root + "/machineSelectorConfig"
	if o.made {
		return []kube.PatchOp{kube.Test(list, nil), kube.Add(list, []any{o.entry.shape()})}
	}
	return []kube.PatchOp{kube.Add(fmt.Sprintf("%s/%d", list, o.index), o.entry.shape())}
}

func (o addEntry) missing(s Spec) []string {
	for _, e := range s.Entries {
		if !notation.SameSelector(e.rawSelector, o.entry.rawSelector) {
			continue
		}
		held := true
		for k, v := range o.entry.Config {
			have := notation.Args(e.Config[k])
			for _, a := range notation.Args(v) {
				held = held && slices.Contains(have, a)
			}
		}
		if held {
			return nil
		}
	}
	return []string{o.location() + ": wanted an entry for " + string(notation.Canonical(o.entry.rawSelector)) + " with " + string(notation.Canonical(o.entry.Config))}
}

func (o dropEntry) location() string            { return entryName(o.index) }
func (o dropEntry) values() (before, after any) { return o.entry.shape(), nil }

func (o dropEntry) apply(s *Spec) error {
	if o.index >= len(s.Entries) || !s.Entries[o.index].same(o.entry) {
		return stale(s.Object, o.location(), "changed since it was read")
	}
	s.Entries = slices.Delete(slices.Clone(s.Entries), o.index, o.index+1)
	if o.unmade {
		if len(s.Entries) > 0 {
			return stale(s.Object, "machineSelectorConfig", "has other entries now")
		}
		s.Entries = nil
	}
	return nil
}

func (o dropEntry) patch(root string) []kube.PatchOp {
	list := root + "/machineSelectorConfig"
	path := fmt.Sprintf("%s/%d", list, o.index)
	ops := []kube.PatchOp{kube.Test(path, o.entry.shape())}
	if o.unmade {
		return []kube.PatchOp{kube.Test(list, []any{o.entry.shape()}), kube.Remove(list)}
	}
	return append(ops, kube.Remove(path))
}

func (o dropEntry) missing(s Spec) []string {
	for i, e := range s.Entries {
		if notation.Equal(e.Config, o.entry.Config) && notation.SameSelector(e.rawSelector, o.entry.rawSelector) && slices.Equal(e.Strays, o.entry.Strays) {
			return []string{entryName(i) + ": wanted no entry for " + string(notation.Canonical(o.entry.rawSelector)) + " with " + string(notation.Canonical(o.entry.Config))}
		}
	}
	return nil
}
