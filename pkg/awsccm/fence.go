package awsccm

import (
	"context"
	"fmt"
	"math"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Fence is what makes the holder of the migration lease step down.
type Fence struct {
	Run string // ID of the run that fences
	// Holder is who is fenced off, as the caller saw it in a lease of this UID and count of
	// transitions. Nobody else is.
	Holder      string
	UID         string
	Transitions int
	// Duration is the longest lease duration in play: who waits counts its own up to
	// client-go v0.26, and the one in the lease from v0.27 on.
	Duration time.Duration
}

// fenceTries are how often a lease that its holder renews meanwhile is read again: a
// renewal comes every two seconds, a read and a write take milliseconds.
const fenceTries = 5

// fenced is the lease.
const fenced = "Lease " + wellknown.System + "/" + wellknown.MigrationLease

// Identity is the holder that a fence writes.
func (f Fence) Identity() string { return wellknown.Fence + f.Run }

// Write makes the fence. The holder cannot renew what is not its own any more: it works on
// until its renew deadline, ends, and is started again; the lease expires by itself
// meanwhile, as after any holder that was lost, and whoever waits takes it
// (client-go:tools/leaderelection/leaderelection.go@v0.26.0). Nothing is deleted or
// emptied, which would let the next one begin while this one still works. A lease that
// carries the fence already is left as it is.
//
// The fault is of class Stale where another holder has the lease.
func (f Fence) Write(ctx context.Context, client kubernetes.Interface, now time.Time) error {
	leases := client.CoordinationV1().Leases(wellknown.System)
	var conflict error
	for range fenceTries {
		found, err := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("fence %s: read it: %w", fenced, CouldNotLook(err))
		}
		holder := ptr.Deref(found.Spec.HolderIdentity, "")
		switch {
		case holder == f.Identity():
			return nil
		case holder != f.Holder || string(found.UID) != f.UID || int(ptr.Deref(found.Spec.LeaseTransitions, 0)) != f.Transitions:
			return &fault.Error{Class: fault.Stale, Reason: "HolderChanged", Object: fenced, Seen: "held by " + holder,
				Wanted: "held by " + f.Holder + " as it was when its hand-over was judged safe", Fix: "run again"}
		}
		f.onto(found, now)
		_, err = leases.Update(ctx, found, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
		if err == nil || !apierrors.IsConflict(err) {
			return couldNotFence(err)
		}
		conflict = err
	}
	return couldNotFence(conflict)
}

// onto changes what a fence changes, and nothing else: who held it since when and how
// often it changed hands stay, which nobody does who takes a lease.
func (f Fence) onto(found *coordinationv1.Lease, now time.Time) {
	metav1.SetMetaDataAnnotation(&found.ObjectMeta, wellknown.FenceNote,
		"a holder "+f.Identity()+" is no process; the lease expires by itself and whoever waits takes it. Do not delete this lease.")
	found.Spec.HolderIdentity = ptr.To(f.Identity())
	seconds := min(math.Ceil(f.Duration.Seconds()), math.MaxInt32)
	found.Spec.LeaseDurationSeconds = ptr.To(max(int32(seconds), ptr.Deref(found.Spec.LeaseDurationSeconds, 0)))
	found.Spec.RenewTime = &metav1.MicroTime{Time: now}
}

// Clear takes the fence away, once the process that it fenced off is known to have ended:
// whoever waits takes a lease without a holder at its next look, and not after its duration
// (client-go:tools/leaderelection/leaderelection.go@v0.26.0, tryAcquireOrRenew). Only this
// fence is taken away, in the lease that it was written into: done is false where somebody
// has taken the lease meanwhile.
//
// As nobody can renew a fence, the version that is read is the one that was fenced; a write
// in between makes it another, which is read again.
func (f Fence) Clear(ctx context.Context, client kubernetes.Interface) (done bool, err error) {
	leases := client.CoordinationV1().Leases(wellknown.System)
	for range fenceTries {
		var found *coordinationv1.Lease
		if found, err = leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{}); err != nil {
			break
		}
		if ptr.Deref(found.Spec.HolderIdentity, "") != f.Identity() || string(found.UID) != f.UID || int(ptr.Deref(found.Spec.LeaseTransitions, 0)) != f.Transitions {
			return false, nil
		}
		found.Spec.HolderIdentity = nil
		if _, err = leases.Update(ctx, found, metav1.UpdateOptions{FieldManager: wellknown.FieldManager}); err == nil || !apierrors.IsConflict(err) {
			break
		}
	}
	if err != nil {
		return false, fmt.Errorf("take the fence off %s: %w", fenced, CouldNotLook(err))
	}
	return true, nil
}

func couldNotFence(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("fence %s: %w", fenced, CouldNotLook(err))
}

// FenceOf is the fence of a lease that was seen.
func FenceOf(run string, seen lease.Observation, longest time.Duration) Fence {
	return Fence{Run: run, Holder: seen.Holder, UID: seen.UID, Transitions: seen.Transitions, Duration: max(longest, seen.Duration)}
}
