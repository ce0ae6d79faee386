package awsccm

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// CouldNotLook returns an API error with its class: Stale for a conflict, CouldNotLook for
// everything else.
func CouldNotLook(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return &fault.Error{Class: fault.Stale, Reason: "Conflict", Seen: "another writer changed it meanwhile", Fix: "run again", Err: err}
	case apierrors.IsUnauthorized(err):
		return fault.Unauthorized("", err)
	case apierrors.IsForbidden(err):
		return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Seen: "not allowed", Fix: "use credentials with the rights of docs/permissions.md", Err: err}
	default:
		return &fault.Error{Class: fault.CouldNotLook, Reason: "APIError", Seen: "the API server gave no usable answer", Err: err}
	}
}

// Exactly returns delete options that require the object to be the one that was read,
// unchanged.
func Exactly(obj metav1.Object) metav1.DeleteOptions {
	uid, version := obj.GetUID(), obj.GetResourceVersion()
	return metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}}
}
