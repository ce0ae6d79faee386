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

// Access holds the clients of the cluster to migrate and the options of its user.
type Access struct {
	Kube         kubernetes.Interface
	Config       *rest.Config // of the same cluster, for Helm's own clients
	Clock        clock.WithTicker
	Options      Options
	Distribution wellknown.Distribution
}

// ClusterUID returns the cluster's identity: the UID of its kube-system.
func (a Access) ClusterUID(ctx context.Context) (string, error) {
	system, err := a.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return "", CouldNotRead("Namespace kube-system of the cluster to migrate", err)
	}
	return string(system.UID), nil
}

// ReadCluster reads the facts that the position is computed from.
func (a Access) ReadCluster(ctx context.Context) (downstream.Cluster, error) {
	cluster, err := kube.ReadCluster(ctx, a.Kube)
	return cluster, PartUnread(err)
}

// ReadLeases reads only the leases.
func (a Access) ReadLeases(ctx context.Context) (lease.Readings, error) {
	leases, err := kube.ReadLeases(ctx, a.Kube)
	return leases, PartUnread(err)
}

// ReadServices reads the Services of type LoadBalancer.
func (a Access) ReadServices(ctx context.Context) ([]downstream.Service, error) {
	services, err := kube.ReadServices(ctx, a.Kube)
	return services, PartUnread(err)
}

// PartUnread classifies err by the part of the cluster that it names.
func PartUnread(err error) error {
	var part *kube.PartError
	if !errors.As(err, &part) {
		return err
	}
	return CouldNotRead(part.Object, part.Err)
}

// unreachableFix is the fix for an API that does not answer. Through Rancher, a cluster's
// API also returns 503 while its agent is disconnected
// (rancher/rancher:pkg/clusterrouter/router.go@v2.8.5).
const unreachableFix = "run the same command again once the API answers with the same kubeconfig: kubectl get --raw /readyz; " +
	"if only the connection through Rancher is down, name another kubeconfig with --downstream-kubeconfig"

// CouldNotRead classifies a failed read. A failed read shows nothing, so it never counts as OK.
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
		f.Fix = unreachableFix
	}
	return f
}
