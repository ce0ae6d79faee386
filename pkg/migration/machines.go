package migration

import "github.com/awsmigrate/awsmigrate/pkg/runner"

// MachineStates are the members that a step changes, as a reading shows them: all of them, or
// the control planes alone. lacks is what a member still lacks of the change, "" for
// nothing, or nil where nothing shows it; doing is what its side of the configuration is
// at, "" for nothing seen.
func (r Reading) MachineStates(controlPlanesOnly bool, lacks, doing func(Member) string) []runner.Machine {
	var all []runner.Machine
	for _, m := range r.Members {
		if controlPlanesOnly && !m.ControlPlane {
			continue
		}
		one := runner.Machine{Name: m.Name, Group: runner.Workers, State: runner.MachineWaits}
		if m.ControlPlane {
			one.Group = runner.ControlPlanes
		}
		switch at := OrElse(r.restarting(m), doing(m)); {
		case at != "":
			one.State, one.Doing = runner.MachineInHand, at
		case lacks == nil:
			one.State = runner.MachineUnseen
		case lacks(m) == "":
			one.State = runner.MachineDone
		}
		all = append(all, one)
	}
	return all
}

// restarting is what of a member's components is seen not to run; "": all do, or none of
// its Nodes is there.
func (r Reading) restarting(m Member) string {
	for _, name := range m.Nodes {
		if node := r.Down.Node(name); node != nil && !node.IsReady() {
			return "kubelet restarting"
		}
	}
	for _, k := range r.KCMs {
		if k.Member == m.Name && k.ID == m.ID && m.ID != "" && !k.Ready {
			return "kube-controller-manager restarting"
		}
	}
	return ""
}
