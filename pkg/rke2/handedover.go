package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// handedNote is the journal's key for what was handed over.
const handedNote = "handed-over"

// handed is the configuration as an edit that was handed over leaves it, by digests of
// its places.
type handed struct {
	Step   journal.StepID    `json:"step"`
	Places map[string]string `json:"places"`
}

// noteHanded keeps what a commit of an edit has to come to.
func noteHanded(ctx context.Context, tx *runner.Tx, spec config.Spec, edit edits.Edit) error {
	after, err := edit.Apply(spec)
	if err != nil {
		return err
	}
	var kept handed
	now := handed{Step: tx.Step(), Places: after.Places()}
	if _, err := tx.NoteInto(handedNote, &kept); err == nil && kept.Step == now.Step && len(config.Differing(kept.Places, now.Places)) == 0 {
		return nil
	}
	return tx.Note(ctx, handedNote, now)
}

// harm returns an error if the configuration, rolled out next to the cluster as it is, makes
// two managers of the cloud controllers, or none.
func (o observed) harm(down downstream.Cluster) error {
	if machines := o.Reverted(down); len(machines) > 0 {
		return guard.TwoManagers("kube-controller-manager of Machine "+machines[0], "is to run")
	}
	if machines := o.Unmanaged(down); len(machines) > 0 {
		return guard.NoManager("kube-controller-manager of Machine "+machines[0], "is to run")
	}
	return nil
}

// Beside implements migration.Handoff.
func (b *Backend) Beside(seen migration.Snapshot, step journal.StepID) ([]string, error) {
	var kept handed
	if there, err := seen.Record.NoteInto(handedNote, &kept); err != nil || !there || kept.Step != step {
		return nil, err
	}
	return config.Differing(kept.Places, factsOf(seen).Cluster.Spec.Places()), nil
}
