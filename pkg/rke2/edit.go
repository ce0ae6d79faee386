package rke2

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// writeEdit patches Rancher's Cluster object with one edit. It writes intent and inverse to
// the journal first, then sends one JSON patch that tests the values that were read.
func (b *Backend) writeEdit(ctx context.Context, tx *runner.Tx, f rancher.Facts, edit edits.Edit) error {
	intent, err := newIntent(tx, f, edit)
	if err != nil {
		return err
	}
	patch, err := edit.JSONPatch()
	if err != nil {
		return fmt.Errorf("make a patch for %s: %w", f.ObjectName(), err)
	}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return b.patchCluster(ctx, f, patch, func(spec config.Spec) bool { in, _ := edit.AppliedIn(spec); return in })
	})
}

// announceEdit writes intent and inverse of an edit that the owner makes to the journal. It
// writes nothing if the journal holds the same edit and no undo of it.
func announceEdit(ctx context.Context, tx *runner.Tx, f rancher.Facts, edit edits.Edit) error {
	intent, err := newIntent(tx, f, edit)
	if err != nil {
		return err
	}
	for _, made := range tx.Record().IntentsToUndo(intent.Step, intent.Object) {
		if journal.SameJSON(made.Inverse, intent.Inverse) {
			return nil
		}
	}
	return tx.Effect(ctx, intent, func(context.Context) error { return nil })
}

func newIntent(tx *runner.Tx, f rancher.Facts, edit edits.Edit) (journal.Intent, error) {
	inverse, err := json.Marshal(edit.Inverse())
	if err != nil {
		return journal.Intent{}, fmt.Errorf("encode the inverse of an edit of %s: %w", f.ObjectName(), err)
	}
	return journal.Intent{Step: tx.Step(), What: "patch " + f.ObjectName(), Object: f.ObjectName(), Inverse: inverse}, nil
}

// patchCluster sends a patch. If the answer is lost, it reads the Cluster again and returns
// an error only if the patch is missing there.
func (b *Backend) patchCluster(ctx context.Context, f rancher.Facts, patch []byte, applied func(config.Spec) bool) error {
	err := migration.PatchRead(ctx, b.clients.Clusters(b.options.Namespace),
		b.options.Name, f.Cluster.ResourceVersion, patch)
	if err == nil {
		return nil
	}
	if isDefinite(err) {
		return refusedPatchError(f, err)
	}
	if now, readErr := b.clients.Read(ctx, b.options.Namespace, b.options.Name, b.clock.Now()); readErr == nil {
		if applied(now.Cluster.Spec) {
			return nil
		}
	}
	return fmt.Errorf("patch %s: %w", f.ObjectName(), err)
}

// isDefinite reports whether the API server answered and did not apply the patch.
func isDefinite(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsConflict(err) ||
		apierrors.IsBadRequest(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err)
}

func refusedPatchError(now rancher.Facts, err error) error {
	if apierrors.IsUnauthorized(err) {
		return fault.Unauthorized(now.ObjectName(), err)
	}
	f := &fault.Error{Class: fault.Stale, Reason: "ChangedMeanwhile", Object: now.ObjectName(),
		Seen: "it is no longer as it was when the edit was computed; nothing was written", Fix: "run again to see the new plan", Err: err}
	if apierrors.IsForbidden(err) {
		f.Class, f.Reason, f.Seen, f.Fix = fault.CouldNotLook, fault.ReasonForbidden, "may not be patched with these credentials", "use credentials that may"
	}
	return f
}

// planChanges returns the changes of an edit for a plan. Plans are published, so a digest
// replaces every value that must stay secret.
func planChanges(object string, edit edits.Edit) []runner.Change {
	var changes []runner.Change
	for _, c := range edit.Changes {
		shown, hidden := c.Shown()
		change := runner.Change{Object: object, Location: c.Location, Before: shown.Before, After: shown.After, Diff: shown.Diff}
		if hidden {
			change.SHA256 = runner.Digest(string(notation.Canonical(c.Before)), string(notation.Canonical(c.After)))
		}
		changes = append(changes, change)
	}
	return changes
}

// pendingRollout returns the conditions that must still change until Rancher has applied an
// edit everywhere. Rancher's own copy of the configuration must hold the edit first.
func pendingRollout(snap migration.Snapshot, missing locator) []migration.PendingCondition {
	if pending := rancherFacts(snap).NotCopied(missing); len(pending) > 0 {
		return pending
	}
	return snap.Reading.Pending
}
