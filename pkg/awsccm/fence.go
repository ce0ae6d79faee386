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

// Fence makes the holder of the migration lease step down.
type Fence struct {
	Run string // ID of the run that fences
	// Holder is the fenced process, as the caller saw it in a lease with this UID and number of
	// transitions. No other holder is fenced.
	Holder      string
	UID         string
	Transitions int
	// Duration is the longest lease duration of all candidates. A waiting candidate counts its
	// own duration up to client-go v0.26, and that of the lease from v0.27 on.
	Duration time.Duration
}

// maxFenceTries is the maximum number of reads of a lease that its holder renews meanwhile:
// renewals are two seconds apart, while a read and a write take milliseconds.
const maxFenceTries = 5

// fenced names the lease in messages.
const fenced = "Lease " + wellknown.System + "/" + wellknown.MigrationLease

// Identity returns the holder that a fence writes.
func (f Fence) Identity() string { return wellknown.Fence + f.Run }

// Write writes the fence. The holder can then no longer renew the lease: it continues until its
// renew deadline, exits and is restarted. The lease expires meanwhile, as after any lost
// holder, and a waiting process takes it
// (client-go:tools/leaderelection/leaderelection.go@v0.26.0). Write never deletes or clears the
// lease, because the next holder could then start while this one is still working. It does not
// change a lease that already has the fence.
//
// It returns an error of class Stale if another process holds the lease.
func (f Fence) Write(ctx context.Context, client kubernetes.Interface, now time.Time) error {
	leases := client.CoordinationV1().Leases(wellknown.System)
	var conflict error
	for range maxFenceTries {
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

// onto changes only the fields of a fence. It keeps the times and the number of transitions,
// which a process that takes the lease would change.
func (f Fence) onto(found *coordinationv1.Lease, now time.Time) {
	metav1.SetMetaDataAnnotation(&found.ObjectMeta, wellknown.FenceNote,
		"a holder "+f.Identity()+" is no process; the lease expires by itself and whoever waits takes it. Do not delete this lease.") // words:ok: an annotation that runs have written
	found.Spec.HolderIdentity = ptr.To(f.Identity())
	seconds := min(math.Ceil(f.Duration.Seconds()), math.MaxInt32)
	found.Spec.LeaseDurationSeconds = ptr.To(max(int32(seconds), ptr.Deref(found.Spec.LeaseDurationSeconds, 0)))
	found.Spec.RenewTime = &metav1.MicroTime{Time: now}
}

// Clear removes the fence after the fenced process has ended. A waiting process takes a lease
// without a holder at its next attempt, instead of after the lease duration
// (client-go:tools/leaderelection/leaderelection.go@v0.26.0, tryAcquireOrRenew). Clear removes
// only this fence, from the lease that it was written to; done is false if another process has
// taken the lease.
//
// A fence cannot be renewed, so the version that is read is the fenced one. If a write comes in
// between, Clear reads the lease again.
func (f Fence) Clear(ctx context.Context, client kubernetes.Interface) (done bool, err error) {
	done, err = freeLease(ctx, client, wellknown.MigrationLease, lease.Observation{Holder: f.Identity(), UID: f.UID, Transitions: f.Transitions})
	if err != nil {
		return false, fmt.Errorf("take the fence off %s: %w", fenced, CouldNotLook(err))
	}
	return done, nil
}

func couldNotFence(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("fence %s: %w", fenced, CouldNotLook(err))
}

// FenceOf returns the fence for an observed lease.
func FenceOf(run string, seen lease.Observation, longest time.Duration) Fence {
	return Fence{Run: run, Holder: seen.Holder, UID: seen.UID, Transitions: seen.Transitions, Duration: max(longest, seen.Duration)}
}
