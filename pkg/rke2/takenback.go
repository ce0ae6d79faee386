package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// takenBack is the verdict where somebody changed the places of a step's edit in the
// user's own object; nil while the edit is in place, whatever Rancher has copied of it
// by now.
func (b *Backend) takenBack(seen migration.Snapshot, step journal.StepID) *runner.Verdict {
	f := factsOf(seen)
	var lacks []string
	if step == migration.StepUpgrade {
		if now := f.Cluster.Spec.KubernetesVersion; now != b.options.KubernetesVersion {
			lacks = []string{"spec.kubernetesVersion is " + now}
		}
	} else {
		edit := b.placed[step]
		edit.compute = b.computationOf(step)
		lacks = edit.takenBack(seen)
		b.placed[step] = edit
	}
	if lacks == nil {
		return nil
	}
	v := migration.TakenBack(f.ObjectName(), lacks, f.Cluster.LastWriter)
	return &v
}

// placed is an edit that was made in the Cluster object and is rolled out.
type placed struct {
	compute computation
	// whole is the last configuration of the Cluster object that lacked nothing;
	// nil before the first reading, to which the step's Do has just seen.
	whole *config.Spec
}

// takenBack are the places of the user's own object that need the edit again,
// because somebody changed it: nil while the edit is in place. What is needed is
// computed from Machines and Nodes too: where the configuration that was whole needs
// it now as well, it is they that changed.
func (p *placed) takenBack(seen migration.Snapshot) []string {
	now := factsOf(seen).Cluster.Spec
	edit, err := p.compute(seen, now)
	if err != nil {
		return nil // the rollout shows why
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

func locations(edit edits.Edit) []string {
	var all []string
	for _, c := range edit.Changes {
		all = append(all, c.Location)
	}
	return all
}
