package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Names from Rancher's own chart (rancher/rancher:chart/templates/deployment.yaml@v2.8.5).
const (
	rancherNamespace  = "cattle-system"
	rancherDeployment = "rancher"
)

// rancherMoves says why Rancher is not at rest: a new version plans every cluster again. It
// returns "" if Rancher is at rest, or runs elsewhere and cannot be observed.
func (c *Controller) rancherMoves(ctx context.Context) string {
	d, err := c.kube.AppsV1().Deployments(rancherNamespace).Get(ctx, rancherDeployment, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return ""
	case err != nil:
		return fmt.Sprintf("Deployment %s/%s could not be read: %v", rancherNamespace, rancherDeployment, err)
	}
	return rollingOut(d)
}

// rollingOut describes the progress of a Deployment, or returns "" if all its pods are current.
func rollingOut(d *appsv1.Deployment) string {
	wanted, s := int32(1), d.Status
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	if s.ObservedGeneration >= d.Generation && s.UpdatedReplicas >= wanted && s.AvailableReplicas >= wanted && s.Replicas <= wanted {
		return ""
	}
	return fmt.Sprintf("Rancher itself rolls out: %d of %d pods are of its latest form and %d available, of %d in all", s.UpdatedReplicas, wanted, s.AvailableReplicas, s.Replicas)
}
