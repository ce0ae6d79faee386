package controller

import (
	"context"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// watchClusters enqueues a cluster when its Cluster changes. Its cache keeps only metadata such
// as name and generation.
func (c *Controller) watchClusters(ctx context.Context) error {
	for _, namespace := range c.o.Namespaces {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.rancher, 0, namespace, nil)
		informer := factory.ForResource(provisioningClusters).Informer()
		if err := informer.SetTransform(stripCluster); err != nil {
			return fmt.Errorf("watch the Clusters of namespace %s: %w", namespace, err)
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { c.signalCluster() },
			UpdateFunc: func(before, after any) { c.clusterMoved(before, after) },
			DeleteFunc: func(gone any) { c.clusterMoved(nil, gone) },
		}); err != nil {
			return fmt.Errorf("watch the Clusters of namespace %s: %w", namespace, err)
		}
		c.watched[namespace] = informer.GetStore()
		factory.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return fmt.Errorf("watch the Clusters of namespace %s: %w", namespace, ctx.Err())
		}
	}
	return nil
}

// stripCluster keeps only the metadata of a Cluster that the handlers need.
func stripCluster(obj any) (any, error) {
	full, is := obj.(*unstructured.Unstructured)
	if !is {
		return obj, nil // a tombstone
	}
	kept := &unstructured.Unstructured{}
	kept.SetGroupVersionKind(full.GroupVersionKind())
	kept.SetNamespace(full.GetNamespace())
	kept.SetName(full.GetName())
	kept.SetUID(full.GetUID())
	kept.SetResourceVersion(full.GetResourceVersion())
	kept.SetGeneration(full.GetGeneration())
	kept.SetDeletionTimestamp(full.GetDeletionTimestamp())
	kept.SetLabels(full.GetLabels()) // waves select by them
	return kept, nil
}

func (c *Controller) clusterMoved(before, after any) {
	if gone, is := after.(cache.DeletedFinalStateUnknown); is {
		after = gone.Obj
	}
	now, is := after.(*unstructured.Unstructured)
	if !is {
		return
	}
	if old, is := before.(*unstructured.Unstructured); is && !maps.Equal(old.GetLabels(), now.GetLabels()) {
		c.rolloutsChanged(now.GetNamespace())
	}
	if old, is := before.(*unstructured.Unstructured); is && old.GetGeneration() == now.GetGeneration() && (old.GetDeletionTimestamp() == nil) == (now.GetDeletionTimestamp() == nil) {
		return
	}
	key := Key{Namespace: now.GetNamespace(), Name: now.GetName()}
	c.mu.Lock()
	k := c.clusters[key]
	c.mu.Unlock()
	if k == nil {
		return // no object names it
	}
	k.mu.Lock()
	k.moved, k.awaits = true, failure{} // the change may be the awaited commit
	k.mu.Unlock()
	c.enqueue(key)
}

// cachedObjects returns the cached objects of a namespace.
func (c *Controller) cachedObjects(namespace string) []*v1alpha1.ClusterMigration {
	all, err := c.objects[namespace].Cache().List(namespace, labels.Everything())
	if err != nil {
		return nil // cannot happen with a filled cache
	}
	return all
}

// openJournals enqueues every cluster with a journal. One of its runs may have died during a
// rollout, even if no object names the cluster.
func (c *Controller) openJournals(ctx context.Context, namespace string) error {
	keys := c.watched[namespace].ListKeys()
	for i, key := range keys {
		_, keys[i], _ = strings.Cut(key, "/")
	}
	kept, err := c.findJournals(ctx, namespace, keys)
	for _, j := range kept {
		if j.unread != nil {
			c.log(j.cluster).Warn("the journal could not be read: the cluster is looked at without it", "error", j.unread.Error())
		}
		c.enqueueLook(j.cluster)
	}
	return err
}

// journalEntry is a cluster with a journal, and the namespace of the journal.
type journalEntry struct {
	cluster   Key
	namespace string
	unread    error // error if the journal could not be read; it may exist then
}

// findJournals returns the clusters of a namespace that have a journal. An RKE cluster has its
// journal in its own namespace, which the controller may not list; the name of the Cluster leads
// to it. A cluster whose journal cannot be read is included.
func (c *Controller) findJournals(ctx context.Context, namespace string, clusters []string) ([]journalEntry, error) {
	list, err := c.kube.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: wellknown.ManagedBy + "=" + wellknown.FieldManager})
	if err != nil {
		return nil, err
	}
	var found []journalEntry
	for i := range list.Items {
		if name, is := strings.CutPrefix(list.Items[i].Name, "awsmigrate-"); is && isJournal(&list.Items[i]) {
			found = append(found, journalEntry{Key{Namespace: namespace, Name: name}, namespace, nil})
		}
	}
	for _, id := range clusters {
		if !wellknown.IsRKEID(id) || !c.o.Scope.covers(id) || c.o.Scope.refuses(session.RKE, id) != nil {
			continue
		}
		kept, err := c.kube.CoreV1().ConfigMaps(id).Get(ctx, journal.Name(id), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			found = append(found, journalEntry{Key{Namespace: namespace, Name: id}, id, fmt.Errorf("read ConfigMap %s/%s: %w", id, journal.Name(id), err)})
		case isJournal(kept):
			found = append(found, journalEntry{Key{Namespace: namespace, Name: id}, id, nil})
		}
	}
	return found, nil
}

func isJournal(kept *corev1.ConfigMap) bool {
	_, is := kept.Data["sha256"]
	return is
}

// enqueueLook enqueues a cluster for a look, with or without an object.
func (c *Controller) enqueueLook(key Key) {
	k := c.cluster(key)
	k.mu.Lock()
	k.moved = true
	k.mu.Unlock()
	c.enqueue(key)
}
