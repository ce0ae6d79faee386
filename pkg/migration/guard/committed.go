package guard

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Committed is the harm of a configuration that no run wrote, as somebody may commit it: a
// control plane that runs the cloud controllers beside the cloud controller manager, or
// one that leaves them to a cloud controller manager that there is not. nil: none. What a
// run writes cannot do either: its preconditions hold it.
func Committed(s migration.Snapshot) error {
	down := s.Reading.Down
	for _, k := range s.Reading.KCMs {
		switch {
		case !k.Known || k.Pod != nil && !k.Ready:
		case k.Provider() == position.External && down.CCM == nil && len(down.CCMPods) == 0:
			return braked("NoManager", k.Name(), "runs external, and there is no cloud controller manager: service, route and cloud-node-lifecycle controllers run nowhere once every control plane does",
				"a cloud controller manager before the first control plane is external")
		case k.Provider() != position.External && !k.Flagged() && len(down.CCMPods) > 0:
			return braked("TwoManagers", k.Name(), fmt.Sprintf("runs in-tree without enable-leader-migration beside %d pods of the cloud controller manager", len(down.CCMPods)),
				"one manager: the flag on every in-tree kube-controller-manager while a cloud controller manager is there")
		}
	}
	return nil
}
