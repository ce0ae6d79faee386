package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
)

// missing returns the locations of a configuration that lack the edit of a step.
type missing func(config.Spec) ([]string, error)

// missing computes them by what was observed.
func (b *Backend) missing(seen migration.Snapshot, step migration.Editing) missing {
	return func(spec config.Spec) ([]string, error) {
		if version := step.Target.Version; version != "" {
			if spec.KubernetesVersion == version {
				return nil, nil
			}
			return []string{"spec.kubernetesVersion is " + spec.KubernetesVersion}, nil
		}
		edit, err := b.compute(seen, spec, step)
		return locations(edit), err
	}
}

// reverted returns the locations of the user's own object that need an edit again because
// another writer changed them; none if they need it for another reason. complete reports
// that the object lacks nothing. What is needed is computed from Machines and Nodes as well:
// if whole, the last configuration that lacked nothing, needs it now, it is they that
// changed. whole is nil before the first reading; the step has just made the edit then.
func reverted(seen migration.Snapshot, whole migration.Config, missing missing) (places []string, complete bool) {
	places, err := missing(factsOf(seen).Cluster.Spec)
	if err != nil {
		return nil, false // the rollout shows why
	}
	if len(places) == 0 {
		return nil, true
	}
	if before, known := whole.(observed); known {
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
