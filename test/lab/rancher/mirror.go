package rancher

import (
	"context"
	"errors"
	"regexp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// legacyID matches a cluster's ID in the older part of Rancher.
var legacyID = regexp.MustCompile(`^c-[a-z0-9]{5}$`)

// mirrorClusters keeps a provisioning Cluster for each management Cluster, with the same name
// and without configuration, in its Fleet workspace; and its kubeconfig, once it was ready. It
// omits the mirror of the local cluster, labels and annotations, and the deletion of a mirror
// with its Cluster. Source:
// rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5
// (generateProvisioningClusterFromLegacyCluster, updateStatus).
func (r *Rancher) mirrorClusters(ctx context.Context) error {
	all, err := r.list(ctx, gvrManagementCluster, "", "")
	if err != nil {
		return err
	}
	var errs []error
	for i := range all {
		workspace := str(&all[i], "spec", "fleetWorkspaceName")
		if workspace != "" && legacyID.MatchString(all[i].GetName()) && all[i].GetDeletionTimestamp() == nil {
			errs = append(errs, r.mirror(ctx, &all[i], workspace))
		}
	}
	return errors.Join(errs...)
}

func (r *Rancher) mirror(ctx context.Context, m *object, workspace string) error {
	o := newObject(gvrCluster, "Cluster", workspace, m.GetName())
	o.Object["spec"] = map[string]any{}
	c, err := r.ensure(ctx, gvrCluster, o)
	if err != nil {
		return err
	}
	ready := isTrue(m, "Ready") || boolean(c, "status", "ready") // Rancher never resets it
	if ready {
		if err := r.ensureKubeconfig(ctx, c, m.GetName()); err != nil {
			return err
		}
	}
	return r.settleStatus(ctx, gvrCluster, c, func(o *object) error {
		err := errors.Join(unstructured.SetNestedField(o.Object, m.GetName(), "status", "clusterName"),
			unstructured.SetNestedField(o.Object, ready, "status", "ready"))
		if ready {
			err = errors.Join(err, unstructured.SetNestedField(o.Object, c.GetName()+"-kubeconfig", "status", "clientSecretName"))
		}
		return err
	})
}
