package edits

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// clone copies what an edit can change, so that the copy can be edited.
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

// sameSpec says whether two Specs agree in everything that an edit can change.
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

// sameEntry says whether two entries are written alike.
func sameEntry(e, o config.Entry) bool {
	return notation.Equal(e.Shape(), o.Shape()) && slices.Equal(e.Strays, o.Strays)
}

// setValues puts a map at a place; nil takes it away.
func setValues(s *config.Spec, p config.Place, values map[string]any) {
	if p == config.Global {
		s.Global = values
		return
	}
	s.Entries[p].Config, s.Entries[p].HasConfig = values, values != nil
}
