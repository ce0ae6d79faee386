package managed

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// write patches the Cluster with an edit. It writes intent and inverse to the journal first,
// then sends one JSON patch that tests the values that were read.
func (b *Backend) write(ctx context.Context, tx *runner.Tx, c Cluster, edit Edit) error {
	if err := b.storeRemoved(ctx, tx, edit); err != nil {
		return err
	}
	inverse, err := edit.Inverse()
	if err != nil {
		return fmt.Errorf("encode the inverse of an edit of %s: %w", c.object(), err)
	}
	patch, err := edit.Patch()
	if err != nil {
		return fmt.Errorf("make a patch for %s: %w", c.object(), err)
	}
	intent := journal.Intent{Step: tx.Step(), What: "patch " + c.object(), Object: c.object(), Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error { return b.patch(ctx, c, patch, edit) })
}

// patch sends the patch. If the answer is lost, it reads the Cluster again and returns an
// error only if the edit is missing there.
func (b *Backend) patch(ctx context.Context, c Cluster, patch []byte, edit Edit) error {
	err := migration.PatchRead(ctx, b.deps.Management.Resource(clusters), c.ID, c.ResourceVersion, patch)
	switch {
	case err == nil:
		return nil
	case apierrors.IsUnauthorized(err):
		return fault.Unauthorized(c.object(), err)
	case apierrors.IsForbidden(err):
		return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: c.object(), Seen: "may not be patched with these credentials",
			Fix: "use credentials that may", Err: err}
	case apierrors.IsInvalid(err) || apierrors.IsConflict(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err):
		return &fault.Error{Class: fault.Stale, Reason: "ChangedMeanwhile", Object: c.object(),
			Seen: "it is no longer as it was when the edit was computed; nothing was written", Fix: "run again to see the new plan", Err: err}
	}
	if now, readErr := b.read(ctx); readErr == nil && len(specDifferences(now.cluster.Config, edit.Apply())) == 0 {
		return nil
	}
	return fmt.Errorf("patch %s: %w", c.object(), err)
}
