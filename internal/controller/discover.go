package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	inventory "github.com/awsmigrate/awsmigrate/internal/inventory/look"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// createdAnnotation, on the Lease of the election, lists the UIDs of the Clusters for which an
// object was created. Deleted ClusterMigrations are not recreated.
const createdAnnotation = "awsmigrate.io/made-for"

// maxDiscoverInterval is the maximum interval between two searches for Clusters without an object.
const maxDiscoverInterval = time.Hour

// runDiscovery creates an object with goal Audit for every in-tree cluster without one. It runs
// whenever a Cluster appears and this process leads.
func (c *Controller) runDiscovery(ctx context.Context) {
	for {
		if c.leads.Load() {
			for _, namespace := range c.o.Namespaces {
				if err := c.discover(ctx, namespace); err != nil && ctx.Err() == nil {
					c.o.Log.Warn("the Clusters could not be listed: for a new one no object is made", "namespace", namespace, "error", err.Error())
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-c.o.Clock.After(maxDiscoverInterval):
			continue
		case <-c.appeared:
		}
		select { // wait for more new Clusters
		case <-ctx.Done():
			return
		case <-c.o.Clock.After(c.o.settle):
		}
	}
}

func (c *Controller) discover(ctx context.Context, namespace string) error {
	known, err := inventory.Rancher{Server: session.Server{Config: c.o.Config}, RequestTimeout: c.o.RequestTimeout, Namespace: namespace, Clock: c.o.Clock}.Known(ctx, c.o.Scope.RKE)
	if err != nil {
		return err
	}
	made, err := c.createdFor(ctx)
	if err != nil {
		return err
	}
	before := len(made)
	var errs []error
	for _, one := range known {
		if !one.Migratable() || !one.InTree() || one.Deleting || !c.o.Scope.covers(one.Name) {
			continue
		}
		key := Key{Namespace: one.Namespace, Name: one.Name}
		uid := c.uidOf(key)
		if uid == "" || slices.Contains(made, uid) {
			continue
		}
		if err := c.createFor(key, uid); err != nil {
			errs = append(errs, err) // other clusters are not affected
			continue
		}
		made = append(made, uid)
	}
	if len(made) > before {
		errs = append(errs, c.storeMade(ctx, made))
	}
	return errors.Join(errs...)
}

// uidOf returns the UID of a watched Cluster, or "".
func (c *Controller) uidOf(key Key) string {
	object, there, err := c.watched[key.Namespace].GetByKey(key.String())
	if err != nil || !there {
		return ""
	}
	cluster, is := object.(*unstructured.Unstructured)
	if !is {
		return ""
	}
	return string(cluster.GetUID())
}

// createFor creates the object of a Cluster if it does not exist. The Cluster owns it.
func (c *Controller) createFor(key Key, uid string) error {
	m := &v1alpha1.ClusterMigration{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: provisioningClusters.GroupVersion().String(), Kind: "Cluster", Name: key.Name, UID: types.UID(uid)}}},
		Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalAudit},
	}
	_, err := c.objects[key.Namespace].Create(m)
	if err == nil || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return fmt.Errorf("make ClusterMigration %s: %w", key, err)
}

// createdFor returns the UIDs of the Clusters for which an object was created.
func (c *Controller) createdFor(ctx context.Context) ([]string, error) {
	lease, err := c.kube.CoordinationV1().Leases(c.o.Namespaces[0]).Get(ctx, electionName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // there was no election yet
	}
	if err != nil {
		return nil, fmt.Errorf("read Lease %s/%s: %w", c.o.Namespaces[0], electionName, err)
	}
	return strings.Fields(lease.Annotations[createdAnnotation]), nil
}

// storeMade stores the UIDs. Another process may renew the Lease at the same time.
func (c *Controller) storeMade(ctx context.Context, made []string) error {
	leases := c.kube.CoordinationV1().Leases(c.o.Namespaces[0])
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		lease, err := leases.Get(ctx, electionName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, createdAnnotation, strings.Join(made, " "))
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil // this process leads without an election
	}
	if err != nil {
		return fmt.Errorf("write Lease %s/%s: %w", c.o.Namespaces[0], electionName, err)
	}
	return nil
}

// signalCluster signals a new Cluster.
func (c *Controller) signalCluster() {
	select {
	case c.appeared <- struct{}{}:
	default: // already signalled
	}
}
