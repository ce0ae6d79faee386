package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// Bind binds the checks of the input's distribution. If the provider hosts the control plane
// (EKS), checks that need one are skipped with the reason: it cannot be migrated from here.
func Bind(in evidence.Input) []verify.Bound {
	all := For(in.Distribution)
	if in.Plain {
		all = append(Alone(), all...)
	}
	if in.Hosted() {
		for i, c := range all {
			if len(c.Applies) > 0 || c.NeedsControlPlane {
				all[i].Judge = func(evidence.Input) []verify.Finding {
					return verify.Skipped("no kube-controller-manager and no control-plane node is visible here: the control plane is hosted elsewhere")
				}
				all[i].Applies, all[i].DecidesNames, all[i].Release = nil, false, nil
			}
		}
	}
	return verify.Bind(in, all...)
}
