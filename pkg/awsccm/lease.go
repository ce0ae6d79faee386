package awsccm

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

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
