package evidence

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// InTreeEverywhere reports whether the control plane's own kube-controller-managers run the cloud
// controllers, regardless of the leader.
func (in Input) InTreeEverywhere() bool {
	kcms, ok := in.ManagersInForce()
	return ok && !slices.ContainsFunc(kcms, func(k position.KCM) bool { return !k.Mode.IsInTree() })
}

// Removal returns a command that removes a CCM if in-tree managers carry on.
func (in Input) Removal(words ...string) string {
	if !in.InTreeEverywhere() {
		return "leave it: the control planes' own kube-controller-managers are not seen to run the cloud controllers, and without it perhaps no process does; bring the cluster to one position first (AWSM-213)"
	}
	return fault.Command(words...)
}

// LookAt returns a command that shows why a pod does not run: its container's log before the last
// restart, its log, or its events if no container ran.
func LookAt(p downstream.Pod) string {
	switch {
	case p.Restarts > 0:
		return fault.Command("kubectl", "-n", p.Namespace, "logs", p.Name, "--previous")
	case p.Started.IsZero():
		return fault.Command("kubectl", "-n", p.Namespace, "describe", "pod", p.Name)
	}
	return fault.Command("kubectl", "-n", p.Namespace, "logs", p.Name)
}
