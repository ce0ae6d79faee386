package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// manifestsNote is the journal's key for how the static pods looked before an edit.
const manifestsNote = "manifests-before"

// manifests are how kube-controller-managers looked before an edit, by Machine UID.
type manifests map[string]manifest

// manifest is how one kube-controller-manager looked before an edit. Both times
// are the API server's, and compared only with each other.
type manifest struct {
	Step    journal.StepID `json:"step"`
	Hash    string         `json:"hash"`
	Started string         `json:"started"`
}

// noteManifests records hash and start of every kube-controller-manager, so
// that "restarted since the edit" can be told from "was like that before". One that has
// what the edit brings, of a commit of half of it, will not restart again.
func noteManifests(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step migration.Editing) error {
	var kept manifests
	if _, err := tx.NoteInto(manifestsNote, &kept); err != nil {
		return err
	}
	before := manifests{}
	for _, k := range seen.Reading.KCMs {
		before[k.ID] = manifest{Step: tx.Step(), Hash: k.Hash, Started: k.Started}
		if old, known := kept[k.ID]; known && old.Step == tx.Step() && step.Target.Restarted && k.Mode() == step.Target.ControlPlanes {
			before[k.ID] = old
		}
	}
	return tx.Note(ctx, manifestsNote, before)
}

// unrestarted returns the kube-controller-managers, by ID, that run the manifest from before
// a step's edit. One that was not recorded before is judged by its arguments alone.
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
