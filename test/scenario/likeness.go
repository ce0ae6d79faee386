package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

// Sight describes the Nodes and leaders of the cluster as a client of its API sees them.
func (l *Lab) Sight(ctx context.Context) ([]string, error) {
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	leases, err := l.Downstream.CoordinationV1().Leases("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return likeness.Describe(nodes.Items, leases.Items)
}
