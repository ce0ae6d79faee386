package awsccm

import (
	"context"
	"errors"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// DeleteIdleLease deletes the migration lease, or the CCM's own, in the version that the caller
// saw: same UID, same resourceVersion. The caller decides, over time, whether the lease is
// idle. A later renewal changes the resourceVersion, and the delete is then refused as stale.
// To delete a live lease would give some 12 s with two owners. A missing lease is no error.
func DeleteIdleLease(ctx context.Context, client kubernetes.Interface, name string, seen lease.Observation) error {
	object := "Lease " + wellknown.System + "/" + name
	if name != wellknown.MigrationLease && name != wellknown.CCMLease {
		return &fault.Error{
			Class: fault.Unexpected, Reason: "WrongLease", Object: object,
			Seen: "asked to delete it as a lease of the migration", Wanted: wellknown.System + "/" + wellknown.MigrationLease + " or " + wellknown.CCMLease,
		}
	}
	if seen.UID == "" || seen.ResourceVersion == "" {
		return &fault.Error{
			Class: fault.Unexpected, Reason: "NoPrecondition", Object: object,
			Seen: "asked to delete it without UID and resourceVersion",
		}
	}
	err := client.CoordinationV1().Leases(wellknown.System).Delete(ctx, name, Exactly(&metav1.ObjectMeta{UID: types.UID(seen.UID), ResourceVersion: seen.ResourceVersion}))
	switch {
	case err == nil, apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return &fault.Error{
			Class: fault.Stale, Reason: "LeaseInUse", Object: object,
			Seen: "it was renewed or replaced after it was judged idle", Wanted: "a lease that is not renewed",
			Fix: "find who still holds it: " + fault.Command("kubectl", "-n", wellknown.System, "get", "lease", name, "-o", "yaml"), Err: err,
		}
	}
	return fmt.Errorf("delete %s: %w", object, CouldNotLook(err))
}

// FreeMainLease removes the holder of the CCM's main lease, whose process has ended. A waiting
// process takes a lease without a holder at its next attempt, instead of after the lease
// duration (client-go:tools/leaderelection/leaderelection.go@v0.26.0, tryAcquireOrRenew). It
// changes only the lease that the caller saw: same UID, same holder, same number of transitions;
// done is false if another process has taken it. The caller must have proof that the process has
// ended: to free the lease of a living one would give some 12 s with two leaders.
//
// A last renewal of the ended process may come in between: FreeMainLease reads the lease again.
func FreeMainLease(ctx context.Context, client kubernetes.Interface, seen lease.Observation) (done bool, err error) {
	if done, err = freeLease(ctx, client, wellknown.CCMLease, seen); err != nil {
		return false, fmt.Errorf("free Lease %s/%s: %w", wellknown.System, wellknown.CCMLease, CouldNotLook(err))
	}
	return done, nil
}

// freeLease removes the holder of a lease with the same UID, holder and number of transitions
// as seen. It reads the lease again after a conflict.
func freeLease(ctx context.Context, client kubernetes.Interface, name string, seen lease.Observation) (done bool, err error) {
	leases := client.CoordinationV1().Leases(wellknown.System)
	for range maxFenceTries {
		found, err := leases.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if ptr.Deref(found.Spec.HolderIdentity, "") != seen.Holder || string(found.UID) != seen.UID || int(ptr.Deref(found.Spec.LeaseTransitions, 0)) != seen.Transitions {
			return false, nil
		}
		found.Spec.HolderIdentity = nil
		if _, err = leases.Update(ctx, found, metav1.UpdateOptions{FieldManager: wellknown.FieldManager}); !apierrors.IsConflict(err) {
			return err == nil, err
		}
	}
	return false, apierrors.NewConflict(coordinationv1.Resource("leases"), name, errors.New("it changes between each read and write"))
}
