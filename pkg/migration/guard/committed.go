package guard

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Committed returns an error if a configuration that an owner committed does harm: two
// managers of the cloud controllers, or none. Edits of a run cannot cause either, since the
// preconditions of its steps prevent it.
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

// NoManager returns the error for an object that runs external without a cloud controller
// manager. runs is the verb: "runs", or "is to run" before the rollout.
func NoManager(object, runs string) error {
	return commitFault("NoManager", object, runs+" external, and there is no cloud controller manager: service, route and cloud-node-lifecycle controllers run nowhere once every control plane does",
		"a cloud controller manager before the first control plane is external")
}

// TwoManagers returns the error for an object that runs the cloud controllers next to the
// cloud controller manager. runs is the same as for NoManager.
func TwoManagers(object, runs string) error {
	return commitFault("TwoManagers", object, runs+" in-tree without enable-leader-migration next to the cloud controller manager",
		"one manager: the flag on every in-tree kube-controller-manager while a cloud controller manager is there")
}

// commitFault returns a fault whose fix is a commit, since an undo reverts only edits of a
// run.
func commitFault(reason, object, seen, wanted string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted,
		Fix: "commit the Cluster's previous configuration in its owner; then end the pause"}
}
