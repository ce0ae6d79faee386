package edits

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// addEntry adds one of our entries to machineSelectorConfig.
type addEntry struct {
	index   int
	where   Where // after the addition
	entry   config.Entry
	already []Where // places that already had its arguments
	made    bool    // the list is absent or null and is created
}

// dropEntry removes an entry that contains only our values.
type dropEntry struct {
	index  int
	where  Where // after the removal
	entry  config.Entry
	unmade bool   // the list, which we created, is removed with its last entry
	peers  string // digest of the other places that set the key
}

func (o addEntry) location() string            { return config.EntryName(o.index) }
func (o addEntry) values() (before, after any) { return nil, o.entry.Shape() }

func (o addEntry) apply(s *config.Spec) error {
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
		return []kube.PatchOp{kube.Test(list, nil), kube.Add(list, []any{o.entry.Shape()})}
	}
	return []kube.PatchOp{kube.Add(fmt.Sprintf("%s/%d", list, o.index), o.entry.Shape())}
}

func (o addEntry) missing(s config.Spec) []string {
	for _, e := range s.Entries {
		if !notation.SameSelector(e.RawSelector, o.entry.RawSelector) {
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
	return []string{o.location() + ": wanted an entry for " + string(notation.Canonical(o.entry.RawSelector)) + " with " + string(notation.Canonical(o.entry.Config))}
}

func (o dropEntry) location() string            { return config.EntryName(o.index) }
func (o dropEntry) values() (before, after any) { return o.entry.Shape(), nil }

func (o dropEntry) apply(s *config.Spec) error {
	if o.index >= len(s.Entries) || !sameEntry(s.Entries[o.index], o.entry) {
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
	ops := []kube.PatchOp{kube.Test(path, o.entry.Shape())}
	if o.unmade {
		return []kube.PatchOp{kube.Test(list, []any{o.entry.Shape()}), kube.Remove(list)}
	}
	return append(ops, kube.Remove(path))
}

func (o dropEntry) missing(s config.Spec) []string {
	for i, e := range s.Entries {
		if notation.Equal(e.Config, o.entry.Config) && notation.SameSelector(e.RawSelector, o.entry.RawSelector) && slices.Equal(e.Strays, o.entry.Strays) {
			return []string{config.EntryName(i) + ": wanted no entry for " + string(notation.Canonical(o.entry.RawSelector)) + " with " + string(notation.Canonical(o.entry.Config))}
		}
	}
	return nil
}
