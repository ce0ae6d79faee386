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

// pauseTries bounds how often an object that moves between read and patch is read
// again: Rancher writes the status of an RKEControlPlane with every probe of a roll.
const pauseTries = 10

// pause pauses an RKEControlPlane in the name of a run, and says whether it did: not
// where the object was paused already. What it read is a precondition of the write.
// Without one the mark of the run would come to stand on a pause that somebody else
// has set in between, and an undo, which ends only pauses with that mark, would end
// theirs. The error is the API server's.
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
		if err == nil || !apierrors.IsConflict(err) || try == pauseTries {
			return err == nil, err
		}
	}
}

// WhileRolling implements migration.Editor: the pause of a brake ends, on the way back once
// Rancher's planner works from a configuration without the edit, and on the way there if
// nothing but a person's word was the reason for it. The step has asked its guard before.
func (b *Backend) WhileRolling(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step migration.Editing) (busy bool, err error) {
	plane := factsOf(seen).ControlPlane
	switch {
	case !plane.Paused || plane.PausedBy == "":
		return false, nil
	case step.Undoes != "":
		copied, err := factsOf(seen).PlaneSpec()
		if err != nil {
			return false, err
		}
		if left, err := b.compute(seen, copied, step); err != nil || !left.Empty() {
			return false, err
		}
	case !mayGoOn(seen):
		return false, nil
	}
	return false, b.release(ctx, tx, plane.PausedBy)
}

// mayGoOn says whether Rancher may go on behind a brake: not before the machine in hand is
// back.
func mayGoOn(seen migration.Snapshot) bool {
	return heldOnRequest(seen) && seen.Reading.HeldUpBy() == nil
}

// heldOnRequest says whether the pause is that of a brake which somebody asked for.
func heldOnRequest(seen migration.Snapshot) bool {
	by := factsOf(seen).ControlPlane.PausedBy
	return by != "" && by == seen.Record.AskedBrake
}

// release lets Rancher go on after a brake of a run of ours.
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
