package controller

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// provisioningClusters are Rancher's Clusters; for RKE they are mirrors.
var provisioningClusters = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}

// target returns the target for a cluster, from its Cluster on the API server. It returns false
// if the Cluster does not exist, is being deleted, or cannot be migrated by awsmigrate.
func (c *Controller) target(ctx context.Context, key Key) (session.Target, bool, error) {
	cluster, err := c.rancher.Resource(provisioningClusters).Namespace(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return session.Target{}, false, nil
	case err != nil:
		return session.Target{}, false, &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: fmt.Sprintf("Cluster %s", key), Seen: "could not be read", Err: err}
	}
	t := session.Target{Kind: kindOf(cluster), Namespace: key.Namespace, Name: key.Name,
		Server: session.Server{Config: c.o.Config}, RequestTimeout: c.o.RequestTimeout}
	return t, cluster.GetDeletionTimestamp() == nil && t.Kind != "", c.o.Scope.refuses(t.Kind, key.Name)
}

// kindOf returns the provisioner of a cluster, or "" if awsmigrate does not support it. For RKE,
// Rancher has a mirror that is named after the cluster's ID and has no configuration
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5).
func kindOf(cluster *unstructured.Unstructured) session.Kind {
	version, _, _ := unstructured.NestedString(cluster.Object, "spec", "kubernetesVersion")
	_, provisioned, _ := unstructured.NestedMap(cluster.Object, "spec", "rkeConfig")
	switch {
	case provisioned && strings.Contains(version, "+rke2"):
		return session.RKE2
	case !provisioned && strings.HasPrefix(cluster.GetName(), "c-"):
		return session.RKE
	}
	return ""
}
