package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

// Distro returns the lab's distribution: rke2, rke (of a cluster.yml) or rke1 (RKE in Rancher).
func (l *Lab) Distro() string {
	switch {
	case l.Target[0] == "rke2":
		return "rke2"
	case l.ClusterFile != "":
		return "rke"
	}
	return "rke1"
}

// Sight describes the Nodes, leaders and static pods of the cluster as a client of its API sees them.
func (l *Lab) Sight(ctx context.Context) ([]string, error) {
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	leases, err := l.Downstream.CoordinationV1().Leases("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	pods, err := l.Downstream.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return likeness.Describe(nodes.Items, leases.Items, pods.Items)
}
