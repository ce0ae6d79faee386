package migration

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
)

// PartUnread classes the error of a reading by the part that it names.
func PartUnread(err error) error {
	var part *kube.PartError
	if !errors.As(err, &part) {
		return err
	}
	return CouldNotRead(part.Object, part.Err)
}

// onceItAnswers is what helps against an API that is away. Through Rancher a
// cluster's own API is away, too, while its agent is not connected: 503
// (rancher/rancher:pkg/clusterrouter/router.go@v2.8.5).
const onceItAnswers = "run the same command again once the API answers: kubectl get --raw /readyz with the same kubeconfig; " +
	"where only Rancher's way to the cluster is cut, --downstream-kubeconfig names another"

// CouldNotRead classes a failed read: nothing is known, which is never "ok".
func CouldNotRead(object string, err error) error {
	if apierrors.IsUnauthorized(err) {
		return fault.Unauthorized(object, err)
	}
	f := &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: "could not be read", Err: err}
	switch {
	case apierrors.IsForbidden(err):
		f.Reason, f.Seen, f.Fix = fault.ReasonForbidden, "may not be read with these credentials", "use credentials that may"
	case apierrors.IsNotFound(err):
		f.Reason, f.Seen = "NotFound", "does not exist"
	case retry.Transient(err):
		f.Fix = onceItAnswers
	}
	return f
}
