package edits

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// ourEntry is what we add where no existing place fits: the documented selector
// of control planes and one key.
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

// isOurs recognises such an entry by its content; nothing else marks it.
func isOurs(e config.Entry, key string) bool {
	_, has := e.Config[key]
	return has && len(e.Config) == 1 && len(e.Strays) == 0 && notation.SameSelector(e.RawSelector, ourEntry(key).RawSelector)
}

// selectsControlPlanes says whether a selector asks for the control-plane role
// and for nothing else, in either of the two ways to write it.
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

// addManagerArg gives kube-controller-manager-arg to control planes for which
// nobody sets it: in an entry that already selects control planes, else in one
// of ours. Ours comes last, or first where it would beat what another control
// plane has.
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
