package config

import "github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"

// Fields returns the fields of rkeConfig that an edit can change, as they are in the object.
// Absent fields are omitted.
func (s Spec) Fields() map[string]any {
	out := map[string]any{}
	if s.Global != nil {
		out["machineGlobalConfig"] = s.Global
	}
	if s.Entries != nil {
		entries := make([]any, 0, len(s.Entries))
		for _, e := range s.Entries {
			entries = append(entries, e.Shape())
		}
		out["machineSelectorConfig"] = entries
	}
	if s.HasManifest {
		out["additionalManifest"] = s.AdditionalManifest
	}
	return out
}

// ChangedFields returns the fields that differ between two specifications, with the value of the
// second, or nil if it is absent there.
func ChangedFields(before, after Spec) map[string]any {
	was, is := before.Fields(), after.Fields()
	out := map[string]any{}
	for name := range was {
		if !notation.Equal(was[name], is[name]) {
			out[name] = is[name]
		}
	}
	for name, value := range is {
		if _, there := was[name]; !there {
			out[name] = value
		}
	}
	return out
}
