package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// computation is an edit of a configuration: what of it is not there yet, by what was
// observed.
type computation func(seen migration.Snapshot, spec config.Spec) (config.Edit, error)

// placed is an edit that was made in the Cluster object and is rolled out.
type placed struct {
	compute computation
	// whole is the last configuration of the Cluster object that lacked nothing;
	// nil before the first reading, to which the step's Do has just seen.
	whole *config.Spec
}

// takenBack are the places of the user's own object that need the edit again,
// because somebody changed it: nil while the edit is in place, whatever Rancher has
// copied of it by now. What is needed is computed from Machines and Nodes too: where
// the configuration that was whole needs it now as well, it is they that changed.
func (p *placed) takenBack(seen migration.Snapshot) []string {
	now := factsOf(seen).Cluster.Spec
	edit, err := p.compute(seen, now)
	if err != nil {
		return nil // the roll shows why
	}
	if edit.Empty() {
		p.whole = &now
		return nil
	}
	if p.whole != nil {
		if before, err := p.compute(seen, *p.whole); err != nil || !before.Empty() {
			return nil
		}
	}
	return locations(edit)
}
