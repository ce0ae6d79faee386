package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Rollout implements migration.Editor: it names an edit that was reverted, and what Rancher
// has still to apply of it.
func (b *Backend) Rollout(_ context.Context, tx *runner.Tx, seen migration.Snapshot, step migration.Editing, whole migration.Config) (migration.Rollout, error) {
	r := migration.Rollout{Progress: seen.Reading.Progress(factsOf(seen).Marks()...), By: migration.ByRancher(), Whole: whole}
	missing := b.missing(seen, step)
	switch places, complete := reverted(seen, whole, missing); {
	case len(places) > 0:
		v := migration.TakenBack(factsOf(seen).ObjectName(), places, factsOf(seen).Cluster.LastWriter)
		v.Progress, r.Verdict = r.Progress, &v
		return r, nil
	case complete:
		r.Whole = seen.Config
	}
	r.Applying = migration.PendingLines(rolledOut(seen, missing))
	var before manifests
	if _, err := tx.NoteInto(manifestsNote, &before); err != nil {
		return r, err
	}
	r.Unrestarted, r.Doing = before.unrestarted(step.ID, seen.Reading.KCMs), map[string]string{}
	for _, m := range factsOf(seen).Machines {
		if m.Applying() {
			r.Doing[m.Name] = "Rancher applies its plan"
		}
	}
	return r, nil
}
