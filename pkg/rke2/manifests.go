package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// manifestsNote is the journal's key for the static pods before an edit.
const manifestsNote = "manifests-before"

// manifests holds the kube-controller-managers before an edit, by Machine UID.
type manifests map[string]manifest

// manifest describes one kube-controller-manager before an edit. Started comes from the API
// server and must only be compared with other times of that server.
type manifest struct {
	Step    journal.StepID `json:"step"`
	Hash    string         `json:"hash"`
	Started string         `json:"started"`
}

// noteManifests records hash and start of every kube-controller-manager before an edit. The
// rollout can then recognize a restart. A manager that already runs the edit, because the
// owner committed half of it, keeps its older record: it does not restart again.
func noteManifests(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, step migration.Editing) error {
	var saved manifests
	if _, err := tx.NoteInto(manifestsNote, &saved); err != nil {
		return err
	}
	before := manifests{}
	for _, k := range snap.Reading.KCMs {
		before[k.ID] = manifest{Step: tx.Step(), Hash: k.Hash, Started: k.Started}
		if old, known := saved[k.ID]; known && old.Step == tx.Step() && step.Target.Restarted && k.Mode() == step.Target.ControlPlanes {
			before[k.ID] = old
		}
	}
	return tx.Note(ctx, manifestsNote, before)
}

// unrestarted maps the ID of each recorded kube-controller-manager to whether it still runs
// the manifest from before a step's edit. Callers judge the others by their arguments alone.
func (m manifests) unrestarted(step journal.StepID, kcms []migration.KCM) map[string]bool {
	all := map[string]bool{}
	for _, k := range kcms {
		before, known := m[k.ID]
		if known && before.Step == step {
			all[k.ID] = k.Hash == before.Hash || k.Started == "" || k.Started < before.Started
		}
	}
	return all
}
