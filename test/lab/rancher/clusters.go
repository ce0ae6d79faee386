package rancher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// reconcileClusters is one pass over the provisioning Clusters. A refused or broken Cluster
// does not block the others.
func (r *Rancher) reconcileClusters(ctx context.Context) error {
	all, err := r.list(ctx, gvrCluster, "", "")
	if err != nil {
		return err
	}
	errs := []error{r.mirrorClusters(ctx)}
	for i := range all {
		c := &all[i]
		if mapAt(c, "spec", "rkeConfig") == nil {
			continue // imported or hosted, or the local cluster
		}
		if err := r.reconcileCluster(ctx, c); err != nil {
			errs = append(errs, fmt.Errorf("cluster %s/%s: %w", c.GetNamespace(), c.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

func (r *Rancher) reconcileCluster(ctx context.Context, c *object) error {
	if c.GetDeletionTimestamp() != nil {
		return r.removeCluster(ctx, c)
	}
	if !slices.Contains(c.GetFinalizers(), finalizerCluster) {
		return r.mutate(ctx, gvrCluster, c.GetNamespace(), c.GetName(), func(o *object) error {
			if !slices.Contains(o.GetFinalizers(), finalizerCluster) {
				o.SetFinalizers(append(o.GetFinalizers(), finalizerCluster))
			}
			return nil
		})
	}
	id, err := r.ensureManagementCluster(ctx, c)
	if err != nil {
		return err
	}
	if err := r.ensureCAPICluster(ctx, c); err != nil {
		return err
	}
	if err := r.checkTemplates(ctx, c); err != nil {
		return err
	}
	if err := r.followCluster(ctx, c, id); err != nil {
		return err
	}
	if err := r.ensurePools(ctx, c); err != nil {
		return err
	}
	if err := r.ensureKubeconfig(ctx, c, id); err != nil {
		return err
	}
	return r.updateClusterStatus(ctx, c, id)
}

// ensureManagementCluster returns the cluster's ID in the rest of Rancher. It is chosen once
// and kept in status.clusterName.
func (r *Rancher) ensureManagementCluster(ctx context.Context, c *object) (string, error) {
	id := str(c, "status", "clusterName")
	if id == "" {
		id = "c-m-" + utilrand.String(8)
		err := r.mutateStatus(ctx, gvrCluster, c.GetNamespace(), c.GetName(), func(o *object) error {
			if had := str(o, "status", "clusterName"); had != "" {
				id = had
				return nil
			}
			return unstructured.SetNestedField(o.Object, id, "status", "clusterName")
		})
		if err != nil {
			return "", err
		}
	}
	m := newObject(gvrManagementCluster, "Cluster", "", id)
	m.SetAnnotations(map[string]string{"provisioning.cattle.io/management-cluster-display-name": c.GetName()})
	m.Object["spec"] = map[string]any{
		"displayName": c.GetName(), "fleetWorkspaceName": c.GetNamespace(), "internal": false, "imported": false,
	}
	if _, err := r.ensure(ctx, gvrManagementCluster, m); err != nil {
		return "", err
	}
	r.mu.Lock()
	r.clusters[id] = false
	r.mu.Unlock()
	return id, nil
}

func (r *Rancher) ensureCAPICluster(ctx context.Context, c *object) error {
	o := newObject(gvrCAPICluster, "Cluster", c.GetNamespace(), c.GetName())
	o.Object["spec"] = map[string]any{
		"paused":            false,
		"controlPlaneRef":   map[string]any{"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane", "name": c.GetName(), "namespace": c.GetNamespace()},
		"infrastructureRef": map[string]any{"apiVersion": "rke.cattle.io/v1", "kind": "RKECluster", "name": c.GetName(), "namespace": c.GetNamespace()},
	}
	made, err := r.ensure(ctx, gvrCAPICluster, o)
	if err != nil || boolean(made, "status", "infrastructureReady") {
		return err
	}
	return r.mutateStatus(ctx, gvrCAPICluster, c.GetNamespace(), c.GetName(), func(o *object) error {
		o.Object["status"] = map[string]any{"infrastructureReady": true, "phase": "Provisioned"}
		return nil
	})
}

// updateClusterStatus copies conditions: Updated and Provisioned from the RKEControlPlane's
// Ready, and Ready from the same or, after that was stable once, from the management Cluster.
// Because they are copies, they remain True for a while after an edit. Source:
// rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/controller.go@v2.8.5
// (OnRancherClusterChange).
func (r *Rancher) updateClusterStatus(ctx context.Context, c *object, id string) error {
	cp, err := r.get(ctx, gvrControlPlane, c.GetNamespace(), c.GetName())
	if err != nil || cp == nil {
		return err
	}
	m, err := r.get(ctx, gvrManagementCluster, "", id)
	if err != nil || m == nil {
		return err
	}
	from := conditionOf(cp, "Ready")
	ready := from
	if isTrue(cp, "Stable") {
		ready = conditionOf(m, "Ready")
	}
	now := r.cfg.Clock.Now()
	err = r.settleStatus(ctx, gvrCluster, c, func(o *object) error {
		return errors.Join(
			unstructured.SetNestedField(o.Object, c.GetName()+"-kubeconfig", "status", "clientSecretName"),
			unstructured.SetNestedField(o.Object, isTrue(m, "Ready"), "status", "ready"),
			unstructured.SetNestedField(o.Object, isTrue(m, "Connected"), "status", "agentDeployed"),
			unstructured.SetNestedField(o.Object, c.GetGeneration(), "status", "observedGeneration"),
			copyCondition(o, "Updated", from, now), copyCondition(o, "Provisioned", from, now), copyCondition(o, "Ready", ready, now),
			copyCondition(o, "Connected", conditionOf(m, "Connected"), now))
	})
	if err != nil {
		return err
	}
	return r.settleStatus(ctx, gvrManagementCluster, m, func(o *object) error {
		return errors.Join(copyCondition(o, "Updated", from, now), copyCondition(o, "Provisioned", conditionOf(cp, "Provisioned"), now))
	})
}

func copyCondition(o *object, kind string, from condition, now time.Time) error {
	if from.Status == "" {
		return nil
	}
	from.Type, from.Severity = kind, ""
	return setCondition(o, from, now, false)
}

// removeCluster removes the machines first, and then all objects that were created for the
// Cluster. The management API server has no garbage collector.
func (r *Rancher) removeCluster(ctx context.Context, c *object) error {
	ns, name := c.GetNamespace(), c.GetName()
	selector := labelCAPICluster + "=" + name
	pools, err := r.list(ctx, gvrDeployment, ns, selector)
	if err != nil {
		return err
	}
	for i := range pools {
		err := errors.Join(r.remove(ctx, gvrDeployment, ns, pools[i].GetName()), r.remove(ctx, gvrHealthCheck, ns, pools[i].GetName()))
		if err != nil {
			return err
		}
	}
	machines, err := r.list(ctx, gvrMachine, ns, selector)
	if err != nil {
		return err
	}
	for i := range machines {
		if machines[i].GetDeletionTimestamp() == nil {
			if err := r.remove(ctx, gvrMachine, ns, machines[i].GetName()); err != nil {
				return err
			}
		}
	}
	if len(machines) > 0 {
		return nil
	}
	if err := r.mgmt.CoreV1().Secrets(ns).Delete(ctx, name+"-kubeconfig", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	id := str(c, "status", "clusterName")
	r.mu.Lock()
	delete(r.clusters, id)
	r.mu.Unlock()
	err = errors.Join(r.remove(ctx, gvrControlPlane, ns, name), r.remove(ctx, gvrCAPICluster, ns, name))
	if id != "" {
		err = errors.Join(err, r.remove(ctx, gvrManagementCluster, "", id))
	}
	if err != nil {
		return err
	}
	return r.mutate(ctx, gvrCluster, ns, name, func(o *object) error {
		o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return f == finalizerCluster }))
		return nil
	})
}
