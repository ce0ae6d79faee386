package rke2

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// maxPauseTries limits the attempts to patch an object that changes between read and patch.
// Rancher writes the status of an RKEControlPlane with every probe during a rollout.
const maxPauseTries = 10

// pause pauses an RKEControlPlane for a run. It reports whether it did, which is false if
// the object was already paused. The object that was read is a precondition of the patch.
// Otherwise the run could mark a pause that another writer set in between, and an undo
// would later end that pause. The error is the API server's.
func pause(ctx context.Context, planes dynamic.ResourceInterface, name, run string) (bool, error) {
	for try := 1; ; try++ {
		plane, err := planes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if plane.GetAnnotations()[rancher.PausedAnnotation] == "true" {
			return false, nil
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"resourceVersion": plane.GetResourceVersion(), "uid": plane.GetUID(),
			"annotations": map[string]string{rancher.PausedAnnotation: "true", rancher.PausedByAnnotation: run}}})
		if err != nil {
			return false, fmt.Errorf("encode the pause of %s: %w", name, err)
		}
		_, err = planes.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		if err == nil || !apierrors.IsConflict(err) || try == maxPauseTries {
			return err == nil, err
		}
	}
}

// WhileRolling implements migration.Editor. It ends a pause that a run set. In an undo,
// Rancher's planner must first work from a configuration without the edit. In a migration,
// the user must have requested the pause. The step consults its guard before the call.
func (b *Backend) WhileRolling(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, step migration.Editing) (busy bool, err error) {
	plane := rancherFacts(snap).ControlPlane
	switch {
	case !plane.Paused || plane.PausedBy == "":
		return false, nil
	case step.Undoes != "":
		copied, err := rancherFacts(snap).PlaneSpec()
		if err != nil {
			return false, err
		}
		if left, err := b.compute(snap, copied, step); err != nil || !left.Empty() {
			return false, err
		}
	case !mayResume(snap):
		return false, nil
	}
	return false, b.release(ctx, tx, plane.PausedBy)
}

// mayResume reports whether Rancher may resume after a pause that the user requested. The
// current machine must be ready first.
func mayResume(snap migration.Snapshot) bool {
	return pausedOnRequest(snap) && snap.Reading.HeldUpBy() == nil
}

// pausedOnRequest reports whether a run set the current pause because the user requested it.
func pausedOnRequest(snap migration.Snapshot) bool {
	by := rancherFacts(snap).ControlPlane.PausedBy
	return by != "" && by == snap.Record.RequestedPause
}

// release ends the pause that the given run set.
func (b *Backend) release(ctx context.Context, tx *runner.Tx, run string) error {
	object := fmt.Sprintf("RKEControlPlane %s/%s", b.options.Namespace, b.options.Name)
	by, pause := kube.Pointer("metadata", "annotations", rancher.PausedByAnnotation), kube.Pointer("metadata", "annotations", rancher.PausedAnnotation)
	patch, err := kube.JSONPatch(kube.Test(by, run), kube.Remove(by), kube.Remove(pause))
	if err != nil {
		return fmt.Errorf("encode the end of the pause of %s: %w", object, err)
	}
	intent := journal.Intent{What: "let Rancher go on: end the pause of " + object, Object: object, Token: run}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := b.clients.ControlPlanes(b.options.Namespace).
			Patch(ctx, b.options.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		return err
	})
}
