package migration

import "github.com/awsmigrate/awsmigrate/pkg/fault"

// Frozen says that arguments of a kube-controller-manager cannot be known, since its
// release freezes what the API shows of them: nothing may be planned, resumed or
// taken back by them. nil: no release does.
func (r Reading) Frozen() error {
	for _, k := range r.KCMs {
		if why := k.Mirror.Frozen(); why != "" {
			return &fault.Error{Class: fault.CouldNotLook, Reason: "ArgumentsFrozen", Object: k.Name(), Seen: why,
				Wanted: "the arguments in force, without which no position is known", Fix: k.Mirror.Remedy()}
		}
	}
	return nil
}
