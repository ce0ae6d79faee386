package migration

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Access is how the cluster to migrate is reached, and what its user chose.
type Access struct {
	Kube         kubernetes.Interface
	Config       *rest.Config // the same cluster, for Helm's own clients
	Clock        clock.WithTicker
	Options      Options
	Distribution wellknown.Distribution
}

// ClusterUID is the cluster's identity: the UID of its kube-system.
func (a Access) ClusterUID(ctx context.Context) (string, error) {
	system, err := a.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return "", CouldNotRead("Namespace kube-system of the cluster to migrate", err)
	}
	return string(system.UID), nil
}

// ReadCluster reads what a position is computed from.
func (a Access) ReadCluster(ctx context.Context) (downstream.Cluster, error) {
	cluster, err := kube.ReadCluster(ctx, a.Kube)
	return cluster, PartUnread(err)
}

// ReadLeases reads the leases alone.
func (a Access) ReadLeases(ctx context.Context) (lease.Readings, error) {
	leases, err := kube.ReadLeases(ctx, a.Kube)
	return leases, PartUnread(err)
}

// ReadServices reads the Services of type LoadBalancer.
func (a Access) ReadServices(ctx context.Context) ([]downstream.Service, error) {
	services, err := kube.ReadServices(ctx, a.Kube)
	return services, PartUnread(err)
}

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
