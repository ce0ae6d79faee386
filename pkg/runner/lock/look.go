package lock

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Held is a lock as its Lease shows it to whoever only looks. It says who took it last and
// did not give it back; whether that owner still lives is seen by Acquire alone.
type Held struct {
	Owner Owner
	// Identity is the holder as it stands in the Lease, for one that is no Owner of ours.
	Identity string
	// Renewed is when the Lease was renewed last, by its owner's clock; zero: not said.
	Renewed time.Time
	// For is how long it holds from then on; zero: not said.
	For time.Duration
}

// Look reads who holds the lock in the Lease namespace/name; nil: nobody. The error is the
// API server's.
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
	held := &Held{Identity: holder(lease)}
	held.Owner, _ = parseOwner(held.Identity)
	if lease.Spec.RenewTime != nil {
		held.Renewed = lease.Spec.RenewTime.Time
	}
	if lease.Spec.LeaseDurationSeconds != nil {
		held.For = time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
	}
	return held, nil
}
