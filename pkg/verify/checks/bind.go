package checks

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Bind ties the checks of the input's distribution to it. Where a control plane
// is hosted by somebody else (EKS), the checks that need to see one are skipped
// with the reason: nothing of it can be migrated from here.
func Bind(in Input) []verify.Bound {
	all := For(in.Distribution)
	if in.Plain {
		all = append(Alone(), all...)
	}
	if in.Hosted() {
		for i, c := range all {
			if len(c.Applies) > 0 || c.NeedsControlPlane {
				all[i].Judge = func(Input) []verify.Finding {
					return verify.Skipped("no kube-controller-manager and no control-plane node is visible here: the control plane is hosted elsewhere")
				}
				all[i].Applies, all[i].DecidesNames = nil, false
			}
		}
	}
	return verify.Bind(in, all...)
}

// Hosted says whether everything that would show a control plane was read, and
// none of it did.
func (in Input) Hosted() bool {
	if in.KCMs != nil || !in.Nodes.OK() || len(in.Nodes.Value) == 0 {
		return false
	}
	for _, n := range in.Nodes.Value {
		if n.ControlPlane() {
			return false
		}
	}
	for _, p := range in.StaticPods.Value {
		if _, is := downstream.RunsKCM(p.Containers); is {
			return false
		}
	}
	strays, gaps := in.Strays()
	return len(gaps) == 0 && !slices.ContainsFunc(strays, func(s downstream.Stray) bool { return !s.CCM && s.Other == "" })
}
