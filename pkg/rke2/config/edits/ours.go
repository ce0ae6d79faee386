package edits

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// ourEntry returns the entry that we add if no existing place fits: the documented selector of
// control planes and one key.
func ourEntry(key string, args ...any) config.Entry {
	e := config.Entry{
		Config:    map[string]any{key: args},
		HasConfig: true,
		Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: config.LabelControlPlane, Operator: metav1.LabelSelectorOpIn, Values: []string{"true"},
		}}},
	}
	e.RawSelector = map[string]any{"matchExpressions": []any{map[string]any{
		"key": config.LabelControlPlane, "operator": "In", "values": []any{"true"},
	}}}
	return e
}

// isOurs reports whether an entry is such an entry. Only its content identifies it.
func isOurs(e config.Entry, key string) bool {
	_, has := e.Config[key]
	return has && len(e.Config) == 1 && len(e.Strays) == 0 && notation.SameSelector(e.RawSelector, ourEntry(key).RawSelector)
}

// selectsControlPlanes reports whether a selector requires the control-plane role and nothing
// else, in either notation.
func selectsControlPlanes(sel *metav1.LabelSelector) bool {
	if sel == nil || len(sel.MatchLabels)+len(sel.MatchExpressions) != 1 {
		return false
	}
	if sel.MatchLabels[config.LabelControlPlane] == "true" {
		return true
	}
	for _, r := range sel.MatchExpressions {
		return r.Key == config.LabelControlPlane && r.Operator == metav1.LabelSelectorOpIn && len(r.Values) == 1 && r.Values[0] == "true"
	}
	return false
}

// addManagerArg adds kube-controller-manager-arg for control planes that have none: to an entry
// that already selects control planes, or else as our own entry. Our entry is the last one, or
// the first one if it would override the value of another control plane.
func (e *editor) addManagerArg(unset, controlPlanes []config.Machine, arg string) error {
	for p := len(e.spec.Entries) - 1; p >= 0; p-- {
		at := config.Location{Place: config.Place(p), Key: config.KeyManagerArg}
		if selectsControlPlanes(e.spec.Entries[p].Selector) && e.fits(at, unset, controlPlanes) {
			return e.set(at, present([]any{arg}))
		}
	}
	index := 0
	if len(unset) == len(controlPlanes) {
		index = len(e.spec.Entries)
	}
	return e.insert(index, ourEntry(config.KeyManagerArg, arg))
}
