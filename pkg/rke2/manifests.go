package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
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
func noteManifests(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	var kept manifests
	if _, err := tx.NoteInto(manifestsNote, &kept); err != nil {
		return err
	}
	before := manifests{}
	for _, k := range seen.Reading.KCMs {
		before[k.ID] = manifest{Step: tx.Step(), Hash: k.Hash, Started: k.Started}
		if old, known := kept[k.ID]; known && old.Step == tx.Step() && edited(old.Step, k) {
			before[k.ID] = old
		}
	}
	return tx.Note(ctx, manifestsNote, before)
}

// edited says whether a kube-controller-manager runs as the edit of a step has it.
func edited(step journal.StepID, k migration.KCM) bool {
	switch step {
	case migration.StepEnable:
		return k.Mode() == component.InTreeMigrating
	case migration.StepSwitch:
		return k.Mode() == component.External
	}
	return false
}

// restarted says whether a kube-controller-manager runs another manifest than
// before a step's edit. Without a record of before, its arguments decide.
func (m manifests) restarted(step journal.StepID, k migration.KCM) bool {
	before, known := m[k.ID]
	if !known || before.Step != step {
		return true
	}
	return k.Hash != before.Hash && k.Started != "" && k.Started >= before.Started
}
