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

// handoffNote is the journal's key for the edit that was handed off last.
const handoffNote = "handed-over"

// handedOff maps each location of the configuration to the digest that a handed-off edit
// leaves there.
type handedOff struct {
	Step   journal.StepID    `json:"step"`
	Places map[string]string `json:"places"`
}

// recordHandoff writes the configuration that the owner's commit of an edit must produce to
// the journal.
func recordHandoff(ctx context.Context, tx *runner.Tx, spec config.Spec, edit edits.Edit) error {
	after, err := edit.Apply(spec)
	if err != nil {
		return err
	}
	var saved handedOff
	now := handedOff{Step: tx.Step(), Places: after.Places()}
	if _, err := tx.NoteInto(handoffNote, &saved); err == nil && saved.Step == now.Step && len(config.Differing(saved.Places, now.Places)) == 0 {
		return nil
	}
	return tx.Note(ctx, handoffNote, now)
}

// harm returns an error if a rollout of the configuration now would leave the cluster with
// two managers of the cloud controllers, or with none.
func (o observed) harm(down downstream.Cluster) error {
	if machines := o.Reverted(down); len(machines) > 0 {
		return guard.TwoManagers("kube-controller-manager of Machine "+machines[0], "is to run")
	}
	if machines := o.Unmanaged(down); len(machines) > 0 {
		return guard.NoManager("kube-controller-manager of Machine "+machines[0], "is to run")
	}
	return nil
}

// Drift implements migration.Handoff.
func (b *Backend) Drift(snap migration.Snapshot, step journal.StepID) ([]string, error) {
	var saved handedOff
	if found, err := snap.Record.NoteInto(handoffNote, &saved); err != nil || !found || saved.Step != step {
		return nil, err
	}
	return config.Differing(saved.Places, rancherFacts(snap).Cluster.Spec.Places()), nil
}
