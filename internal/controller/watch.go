package controller

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// watchClusters has a cluster looked at again when its Cluster changes. Of each nothing
// but name and generation is kept.
func (c *Controller) watchClusters(ctx context.Context) error {
	for _, namespace := range c.o.Namespaces {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.rancher, 0, namespace, nil)
		informer := factory.ForResource(provisioningClusters).Informer()
		if err := informer.SetTransform(stripped); err != nil {
			return fmt.Errorf("watch the Clusters of namespace %s: %w", namespace, err)
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { c.appears() },
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

// stripped keeps of a Cluster what a decision to look again needs.
func stripped(obj any) (any, error) {
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
	if old, is := before.(*unstructured.Unstructured); is && old.GetGeneration() == now.GetGeneration() && (old.GetDeletionTimestamp() == nil) == (now.GetDeletionTimestamp() == nil) {
		return
	}
	key := Key{Namespace: now.GetNamespace(), Name: now.GetName()}
	c.mu.Lock()
	k := c.clusters[key]
	c.mu.Unlock()
	if k == nil {
		return // nobody asked about it
	}
	k.mu.Lock()
	k.moved, k.awaits = true, failure{} // it may be what is waited for
	k.mu.Unlock()
	c.enqueue(key)
}

// known are the objects of a namespace, as cached.
func (c *Controller) known(namespace string) []*v1alpha1.ClusterMigration {
	all, err := c.objects[namespace].Cache().List(namespace, labels.Everything())
	if err != nil {
		return nil // of a filled cache: never
	}
	return all
}

// openJournals has every cluster looked at whose journal is there: a run of it may have
// died while Rancher goes on with what it began, also where no object names the cluster.
func (c *Controller) openJournals(ctx context.Context, namespace string) error {
	keys := c.watched[namespace].ListKeys()
	for i, key := range keys {
		_, keys[i], _ = strings.Cut(key, "/")
	}
	kept, err := c.journalled(ctx, namespace, keys)
	for _, j := range kept {
		if j.unread != nil {
			c.log(j.cluster).Warn("the journal could not be read: the cluster is looked at without it", "error", j.unread.Error())
		}
		c.mayRoll(j.cluster)
	}
	return err
}

// journalled is a cluster that has a journal, and the namespace where it lies.
type journalled struct {
	cluster   Key
	namespace string
	unread    error // why it is not known whether there is one; nil: there is
}

// rkeID is the name of the mirror of a cluster that rke made, and of the namespace with its
// journal.
var rkeID = regexp.MustCompile(`^c-[a-z0-9]{5}$`)

// journalled are the clusters of a namespace that have a journal. Each that rke made has a
// namespace for it, of which no list is granted: those are found by the names of the
// Clusters. One whose journal cannot be read may have one, and is among them.
func (c *Controller) journalled(ctx context.Context, namespace string, clusters []string) ([]journalled, error) {
	list, err := c.kube.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: wellknown.ManagedBy + "=" + wellknown.FieldManager})
	if err != nil {
		return nil, err
	}
	var found []journalled
	for i := range list.Items {
		if name, is := strings.CutPrefix(list.Items[i].Name, "awsmigrate-"); is && isJournal(&list.Items[i]) {
			found = append(found, journalled{Key{Namespace: namespace, Name: name}, namespace, nil})
		}
	}
	for _, id := range clusters {
		if !rkeID.MatchString(id) || !c.o.Scope.covers(id) || c.o.Scope.refuses(session.RKE, id) != nil {
			continue
		}
		kept, err := c.kube.CoreV1().ConfigMaps(id).Get(ctx, journal.Name(id), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			found = append(found, journalled{Key{Namespace: namespace, Name: id}, id, fmt.Errorf("read ConfigMap %s/%s: %w", id, journal.Name(id), err)})
		case isJournal(kept):
			found = append(found, journalled{Key{Namespace: namespace, Name: id}, id, nil})
		}
	}
	return found, nil
}

func isJournal(kept *corev1.ConfigMap) bool {
	_, is := kept.Data["sha256"]
	return is
}

// mayRoll has a cluster looked at, whether an object names it or not.
func (c *Controller) mayRoll(key Key) {
	k := c.cluster(key)
	k.mu.Lock()
	k.moved = true
	k.mu.Unlock()
	c.enqueue(key)
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// readSchema finds out whether the served definition knows every field of ours: an API
// server drops what its schema does not know, without a word.
func (c *Controller) readSchema(ctx context.Context) error {
	crd, err := c.rancher.Resource(definitions).Get(ctx, v1alpha1.CRD, metav1.GetOptions{})
	if err != nil {
		return err
	}
	c.outdated.Store(schemaOf(crd.GetAnnotations()) < v1alpha1.Schema)
	return nil
}

// learnsSchema reads the definition until it gets through. Nothing begins before: an old
// one may have dropped the field that says so.
func (c *Controller) learnsSchema(ctx context.Context, err error) {
	for err != nil {
		c.o.Log.Warn("the definition could not be read: nothing begins until it is", "error", err.Error())
		select {
		case <-ctx.Done():
			return
		case <-c.o.Clock.After(firstPause):
		}
		err = c.readSchema(ctx)
	}
	c.enqueueKnown()
}

// schemaOf is the number of the schema that a definition has; 0: it says none.
func schemaOf(annotations map[string]string) int {
	number, err := strconv.Atoi(annotations[v1alpha1.SchemaAnnotation])
	if err != nil {
		return 0
	}
	return number
}
