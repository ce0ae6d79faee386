package guard

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Committed is the harm of a configuration that no run wrote, as somebody may commit it: a
// control plane that runs the cloud controllers beside the cloud controller manager, or
// one that leaves them to a cloud controller manager that there is not. nil: none. What a
// run writes cannot do either: its preconditions hold it.
func Committed(s migration.Snapshot) error {
	down := s.Reading.Down
	for _, k := range s.Reading.KCMs {
		mode := k.Mode()
		if k.Pod != nil && !k.Ready {
			mode = component.ModeUnknown
		}
		switch {
		case mode.IsExternal() && down.CCM == nil && len(down.CCMPods) == 0:
			return NoManager(k.Name(), "runs")
		case (mode == component.InTree || mode == component.ModeOther) && len(down.CCMPods) > 0:
			return TwoManagers(k.Name(), "runs")
		}
	}
	return nil
}

// NoManager is that an object runs, or is to run, external without a cloud controller manager.
func NoManager(object, runs string) error {
	return committed("NoManager", object, runs+" external, and there is no cloud controller manager: service, route and cloud-node-lifecycle controllers run nowhere once every control plane does",
		"a cloud controller manager before the first control plane is external")
}

// TwoManagers is that an object runs, or is to run, the cloud controllers beside the cloud
// controller manager.
func TwoManagers(object, runs string) error {
	return committed("TwoManagers", object, runs+" in-tree without enable-leader-migration beside the cloud controller manager",
		"one manager: the flag on every in-tree kube-controller-manager while a cloud controller manager is there")
}

// committed is braked for what an undo cannot take back, since no run made it.
func committed(reason, object, seen, wanted string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted,
		Fix: "commit what the Cluster said before, where it is kept; then end the pause"}
}
