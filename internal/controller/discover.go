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

// madeAnnotation on the Lease of the election has the UIDs of the Clusters for which an
// object was made: one that somebody deleted is not made again.
const madeAnnotation = "awsmigrate.io/made-for"

// discoverAgain is the longest time between two looks for Clusters without an object.
const discoverAgain = time.Hour

// discovers makes an object with goal Audit for every cluster with the in-tree AWS
// provider that has none, whenever a Cluster appears, while this process leads.
func (c *Controller) discovers(ctx context.Context) {
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
		case <-c.o.Clock.After(discoverAgain):
			continue
		case <-c.appeared:
		}
		select { // several appear together
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
	made, err := c.madeFor(ctx)
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
		if err := c.makeFor(key, uid); err != nil {
			errs = append(errs, err) // costs this cluster alone
			continue
		}
		made = append(made, uid)
	}
	if len(made) > before {
		errs = append(errs, c.noteMade(ctx, made))
	}
	return errors.Join(errs...)
}

// uidOf is that of a Cluster that is watched; "": it is not.
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

// makeFor makes the object of a Cluster, unless somebody did. It goes with the Cluster.
func (c *Controller) makeFor(key Key, uid string) error {
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

// madeFor are the Clusters for which an object was made.
func (c *Controller) madeFor(ctx context.Context) ([]string, error) {
	lease, err := c.kube.CoordinationV1().Leases(c.o.Namespaces[0]).Get(ctx, electionName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // nobody was ever elected
	}
	if err != nil {
		return nil, fmt.Errorf("read Lease %s/%s: %w", c.o.Namespaces[0], electionName, err)
	}
	return strings.Fields(lease.Annotations[madeAnnotation]), nil
}

// noteMade writes them down beside whoever renews the Lease.
func (c *Controller) noteMade(ctx context.Context, made []string) error {
	leases := c.kube.CoordinationV1().Leases(c.o.Namespaces[0])
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		lease, err := leases.Get(ctx, electionName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, madeAnnotation, strings.Join(made, " "))
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{FieldManager: wellknown.FieldManager})
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil // this process leads without asking
	}
	if err != nil {
		return fmt.Errorf("write Lease %s/%s: %w", c.o.Namespaces[0], electionName, err)
	}
	return nil
}

// appears says that a Cluster is new.
func (c *Controller) appears() {
	select {
	case c.appeared <- struct{}{}:
	default: // somebody said so already
	}
}
