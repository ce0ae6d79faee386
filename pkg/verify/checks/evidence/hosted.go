package evidence

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Hosted reports whether everything that would show a control plane was read without finding one.
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
