package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Rollout implements migration.Editor. It returns a verdict if another writer reverted the
// edit, and lists the parts that Rancher must still apply.
func (b *Backend) Rollout(_ context.Context, tx *runner.Tx, snap migration.Snapshot, step migration.Editing, whole migration.Config) (migration.Rollout, error) {
	r := migration.Rollout{Progress: snap.Reading.Progress(rancherFacts(snap).Marks()...), By: migration.ByRancher(), Whole: whole}
	missing := b.missingLocator(snap, step)
	switch places, complete := findReverted(snap, whole, missing); {
	case len(places) > 0:
		v := migration.EditReverted(rancherFacts(snap).ObjectName(), places, rancherFacts(snap).Cluster.LastWriter)
		v.Progress, r.Verdict = r.Progress, &v
		return r, nil
	case complete:
		r.Whole = snap.Config
	}
	r.Applying = migration.PendingLines(pendingRollout(snap, missing))
	var before manifests
	if _, err := tx.NoteInto(manifestsNote, &before); err != nil {
		return r, err
	}
	r.Unrestarted, r.Doing = before.unrestarted(step.ID, snap.Reading.KCMs), map[string]string{}
	for _, m := range rancherFacts(snap).Machines {
		if m.Applying() {
			r.Doing[m.Name] = "Rancher applies its plan"
		}
	}
	return r, nil
}
