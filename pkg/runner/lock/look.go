package lock

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Held describes a held lock as its Lease shows it: the last owner that has not released it. Only
// Acquire takes the lock of an owner that has ended.
type Held struct {
	Owner Owner
	// Identity is the holderIdentity of the Lease, also if it is not an Owner.
	Identity string
	// Renewed is the last renewal by the owner's clock, or zero if the Lease has none.
	Renewed time.Time
	// For is the duration of the Lease after Renewed, or zero if the Lease has none.
	For time.Duration
	// Version identifies the last write of the Lease.
	Version string
}

// DiedHere reports whether this machine proves that the owner has ended, as Acquire does: the
// owner's last write was made here, and its process is gone. host is this machine's name. False
// proves nothing.
func (h Held) DiedHere(host string, table Processes, kept Witness) bool {
	return kept != nil && kept.Saw(h.Owner.Run, h.Version) && ProvenDead(h.Owner, Owner{Host: host}, table)
}

// Look returns the holder of the lock in the Lease namespace/name, or nil if it is free. The
// error is the API server's.
func Look(ctx context.Context, client kubernetes.Interface, namespace, name string) (*Held, error) {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil || holder(lease) == "" {
		return nil, err
	}
	held := &Held{Identity: holder(lease), Version: lease.ResourceVersion}
	held.Owner, _ = parseOwner(held.Identity)
	if lease.Spec.RenewTime != nil {
		held.Renewed = lease.Spec.RenewTime.Time
	}
	if lease.Spec.LeaseDurationSeconds != nil {
		held.For = time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
	}
	return held, nil
}
