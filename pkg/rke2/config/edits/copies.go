package edits

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// clone copies the fields that an edit can change.
func clone(s config.Spec) config.Spec {
	s.Global = notation.CopyMap(s.Global)
	if s.Entries != nil {
		entries := make([]config.Entry, len(s.Entries))
		for i, e := range s.Entries {
			e.Config = notation.CopyMap(e.Config)
			entries[i] = e
		}
		s.Entries = entries
	}
	return s
}

// sameSpec reports whether two Specs are equal in the fields that an edit can change.
func sameSpec(s, o config.Spec) bool {
	if len(s.Entries) != len(o.Entries) || (s.Entries == nil) != (o.Entries == nil) {
		return false
	}
	for i, e := range s.Entries {
		if !sameEntry(e, o.Entries[i]) {
			return false
		}
	}
	return notation.Equal(s.Global, o.Global) && s.AdditionalManifest == o.AdditionalManifest && s.HasManifest == o.HasManifest
}

// sameEntry reports whether two entries have the same notation.
func sameEntry(e, o config.Entry) bool {
	return notation.Equal(e.Shape(), o.Shape()) && slices.Equal(e.Strays, o.Strays)
}

// setValues sets the map at a place; nil removes it.
func setValues(s *config.Spec, p config.Place, values map[string]any) {
	if p == config.Global {
		s.Global = values
		return
	}
	s.Entries[p].Config, s.Entries[p].HasConfig = values, values != nil
}
