package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
)

// locator returns the locations of a configuration without a step's edit.
type locator func(config.Spec) ([]string, error)

// missingLocator returns the locator for one step, by the Machines and Nodes of the snapshot.
func (b *Backend) missingLocator(snap migration.Snapshot, step migration.Editing) locator {
	return func(spec config.Spec) ([]string, error) {
		if version := step.Target.Version; version != "" {
			if spec.KubernetesVersion == version {
				return nil, nil
			}
			return []string{"spec.kubernetesVersion is " + spec.KubernetesVersion}, nil
		}
		edit, err := b.compute(snap, spec, step)
		return locations(edit), err
	}
}

// findReverted returns the locations of the Cluster object where another writer reverted the
// step's edit. complete reports whether the object holds the whole edit.
//
// lastComplete is the last configuration that held the whole edit. The edit depends on
// Machines and Nodes, too: if lastComplete now lacks it, they changed, and no writer reverted
// it. lastComplete is nil before the first reading, when the step has just made the edit.
func findReverted(snap migration.Snapshot, lastComplete migration.Config, missing locator) (places []string, complete bool) {
	places, err := missing(rancherFacts(snap).Cluster.Spec)
	if err != nil {
		return nil, false // the rollout reports the error
	}
	if len(places) == 0 {
		return nil, true
	}
	if before, known := lastComplete.(observed); known {
		if left, err := missing(before.Cluster.Spec); err != nil || len(left) > 0 {
			return nil, false
		}
	}
	return places, false
}

func locations(edit edits.Edit) []string {
	var all []string
	for _, c := range edit.Changes {
		all = append(all, c.Location)
	}
	return all
}
