package migration

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

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
