package rke2

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// PauseRollout implements migration.Backend.
// Rancher continues a rollout without our help. A paused RKEControlPlane keeps every further
// machine from getting a plan
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, IsPaused). If the API refuses the
// pause, it posts the inverse edit: machines without a plan keep their configuration.
func (b *Backend) PauseRollout(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, _ func(context.Context) (migration.Snapshot, error)) (string, error) {
	object := fmt.Sprintf("RKEControlPlane %s/%s", b.options.Namespace, b.options.Name)
	if rancherFacts(snap).ControlPlane.Paused {
		return object + " is paused already", nil
	}
	ours := true
	intent := journal.Intent{What: "pause " + object, Object: object, Token: b.options.RunID}
	pauseErr := tx.Effect(ctx, intent, func(ctx context.Context) error {
		var err error
		ours, err = pause(ctx, b.clients.ControlPlanes(b.options.Namespace), b.options.Name, b.options.RunID)
		return err
	})
	if pauseErr == nil && !ours {
		return object + " is paused already", nil
	}
	if pauseErr == nil {
		return fmt.Sprintf("Rancher is paused for this cluster (%s on %s); machines without the edit keep what they run", rancher.PausedAnnotation, object), nil
	}
	if b.options.HandOver { // only the owner may write the configuration, even now
		return "", fmt.Errorf("pause %s: %w", object, pauseErr)
	}
	posted, err := b.postInverse(ctx, tx, rancherFacts(snap))
	switch {
	case err != nil:
		return "", fmt.Errorf("pause %s: %w; then post the inverse edit: %w", object, pauseErr, err)
	case !posted:
		return fmt.Sprintf("pausing %s was refused (%v); the edit is no longer in the configuration, and nothing was written", object, pauseErr), nil
	}
	return fmt.Sprintf("pausing %s was refused (%v); the inverse edit was posted instead", object, pauseErr), nil
}

// postInverse undoes the last edit of this step on the Cluster object. posted is false if
// the configuration no longer holds that edit.
func (b *Backend) postInverse(ctx context.Context, tx *runner.Tx, f rancher.Facts) (posted bool, err error) {
	intents := tx.Record().Intents
	for i := len(intents) - 1; i >= 0; i-- {
		if intents[i].Step != tx.Step() || intents[i].Object != f.ObjectName() || len(intents[i].Inverse) == 0 {
			continue
		}
		inverse, err := edits.ParseInverse(intents[i].Inverse)
		if err != nil {
			return false, tx.Record().Foreign(intents[i], err)
		}
		edit, err := inverse.Edit(f.Cluster.Spec)
		if err != nil || edit.Empty() {
			return false, err
		}
		return true, b.writeEdit(ctx, tx, f, edit)
	}
	return false, fmt.Errorf("the journal holds no edit of step %s", tx.Step())
}
