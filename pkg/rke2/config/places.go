package config

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Places returns a digest of the value in each place of the configuration that an edit can
// change. Values with the same meaning have equal digests: Rancher's webhook reorders arguments,
// and clients write or omit empty values. Entries are identified by the machines they are for.
func (s Spec) Places() map[string]string {
	values := map[string][]any{}
	add := func(place string, of map[string]any) {
		for key, value := range of {
			if value = normalize(value); value != nil {
				values[place+"."+key] = append(values[place+"."+key], value)
			}
		}
	}
	add(Global.String(), s.Global)
	for _, e := range s.Entries {
		add("machineSelectorConfig["+e.machineKey()+"].config", e.Config)
	}
	if s.AdditionalManifest != "" {
		values["additionalManifest"] = []any{s.AdditionalManifest}
	}
	out := make(map[string]string, len(values))
	for place, all := range values {
		out[place] = notation.Digest(all)[:16]
	}
	return out
}

// Edited returns the places, with the names that Places uses, of the keys that a migration edits,
// and whether each holds a value that a migration writes.
func (s Spec) Edited() map[string]bool {
	edited := map[string]bool{}
	add := func(place string, of map[string]any) {
		for _, key := range []string{KeyProvider, KeyDisableCCM, KeyManagerArg, KeyKubeletArg} {
			if value := of[key]; value != nil {
				edited[place+"."+key] = edited[place+"."+key] || migrated(key, value)
			}
		}
	}
	add(Global.String(), s.Global)
	for _, e := range s.Entries {
		add("machineSelectorConfig["+e.machineKey()+"].config", e.Config)
	}
	return edited
}

// migrated reports whether a migration writes this value of a key.
func migrated(key string, value any) bool {
	switch key {
	case KeyProvider:
		return value == ProviderExternal
	case KeyDisableCCM:
		return value == true
	}
	args := notation.Args(value)
	provider, _ := notation.Last(args, FlagProvider)
	_, flagged := notation.Last(args, FlagLeaderMigration)
	return provider == ProviderExternal || flagged
}

// machineKey describes the machines that an entry is for, regardless of its notation.
func (e Entry) machineKey() string {
	if e.Selector == nil || len(e.Selector.MatchLabels)+len(e.Selector.MatchExpressions) == 0 {
		return "every machine"
	}
	return metav1.FormatLabelSelector(e.Selector)
}

// normalize returns a value with its lists as sets of texts, or nil if it is empty. A single text
// equals a list of it.
func normalize(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case map[string]any:
		out := map[string]any{}
		for key, one := range value {
			if one = normalize(one); one != nil {
				out[key] = one
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		texts := make([]string, 0, len(value))
		for _, one := range value {
			if of, is := one.(map[string]any); is {
				one = string(notation.Canonical(of))
			}
			texts = append(texts, fmt.Sprint(one))
		}
		slices.Sort(texts)
		if len(texts) == 0 {
			return nil
		}
		return texts
	}
	if text := fmt.Sprint(value); text != "" {
		return []string{text}
	}
	return nil
}

// Differing returns the places whose digests differ between two configurations.
func Differing(before, after map[string]string) []string {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, after)
	maps.DeleteFunc(all, func(place, _ string) bool { return before[place] == after[place] })
	return slices.Sorted(maps.Keys(all))
}
