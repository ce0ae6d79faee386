package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/sim"
)

// mirrored is a kind of Rancher's objects, and the parts that users write. The model writes the
// others.
type mirrored struct {
	gvr         schema.GroupVersionResource
	spec        bool // users write it
	annotations bool
	machines    bool // Nodes refer to their UIDs
}

func (k mirrored) resource() string { return k.gvr.GroupResource().String() }

func (k mirrored) written() bool { return k.spec || k.annotations }

var (
	clusters = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}

	// provisioned holds the kinds of an RKE2 cluster, managed those of an RKE cluster. A status is
	// copied in this order.
	provisioned = []mirrored{
		{gvr: schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "clusters"}},
		{gvr: schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machines"}, machines: true},
		{gvr: schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}, annotations: true},
		{gvr: clusters, spec: true, annotations: true},
	}
	managed = []mirrored{
		{gvr: schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "nodes"}},
		{gvr: schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"}, spec: true, annotations: true},
	}
)

// place locates an object.
type place struct{ resource, namespace, name string }

func placeOf(k mirrored, o sim.Object) place {
	u := unstructured.Unstructured{Object: o}
	return place{k.resource(), u.GetNamespace(), u.GetName()}
}

// copied holds what the bridge has copied of a member.
type copied struct {
	mu         sync.Mutex
	revision   int64
	sent       map[place]string // resourceVersion of the model
	generation map[place]int64  // of the API server, that the model knows
}

func (c *copied) taken(at place, generation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation[at] = max(c.generation[at], generation)
}

func (f *Fleet) client(k mirrored, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return f.dyn.Resource(k.gvr)
	}
	return f.dyn.Resource(k.gvr).Namespace(namespace)
}

// follow copies the edits of users into the models, from now on.
func (f *Fleet) follow(ctx context.Context) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(f.dyn, 0, metav1.NamespaceAll, func(o *metav1.ListOptions) { o.LabelSelector = rancher.Simulated })
	owners := map[place]*Member{}
	for _, m := range f.members {
		for _, k := range m.kept {
			for _, o := range m.Objects(k.resource()) {
				owners[placeOf(k, o)] = m
			}
		}
	}
	for _, k := range append(append([]mirrored{}, provisioned...), managed...) {
		if !k.written() {
			continue
		}
		take := func(seen any) {
			if o, is := seen.(*unstructured.Unstructured); is {
				if m := owners[placeOf(k, o.Object)]; m != nil {
					m.take(k, o)
				}
			}
		}
		_, err := factory.ForResource(k.gvr).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: take, UpdateFunc: func(_, now any) { take(now) }})
		if err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	for of, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced && ctx.Err() == nil {
			return fmt.Errorf("fleet: %s cannot be watched", of)
		}
	}
	return nil
}

// take copies the users' part of an object into the model.
func (m *Member) take(k mirrored, seen *unstructured.Unstructured) {
	at := placeOf(k, seen.Object)
	m.Change(at.resource, at.namespace, at.name, func(o sim.Object) {
		if k.spec {
			o["spec"] = runtime.DeepCopyJSONValue(seen.Object["spec"])
		}
		if annotations, has, _ := unstructured.NestedMap(seen.Object, "metadata", "annotations"); k.annotations && has {
			_ = unstructured.SetNestedMap(o, annotations, "metadata", "annotations")
		} else if k.annotations {
			unstructured.RemoveNestedField(o, "metadata", "annotations")
		}
	})
	m.taken(at, seen.GetGeneration())
}

// copyInterval is the time between two copies of the models' work.
const copyInterval = 100 * time.Millisecond

// carryOn advances all models and copies their work, until ctx ends. A refused copy is made again
// with the next.
func (f *Fleet) carryOn(ctx context.Context) error {
	ticker := time.NewTicker(copyInterval)
	defer ticker.Stop()
	for {
		if err := f.each(ctx, f.copyMember); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (f *Fleet) copyMember(ctx context.Context, m *Member) error {
	revision := m.Advance()
	if revision == m.revision {
		return nil
	}
	for _, k := range m.kept {
		for _, o := range m.Objects(k.resource()) {
			at, version := placeOf(k, o), (&unstructured.Unstructured{Object: o}).GetResourceVersion()
			if m.sent[at] == version {
				continue
			}
			if err := f.send(ctx, m, k, at, o); apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
				return nil // with the next copy
			} else if err != nil {
				return err
			}
			m.sent[at] = version
		}
	}
	m.revision = revision
	return nil
}

// send copies the model's part of an object to the API server.
func (f *Fleet) send(ctx context.Context, m *Member, k mirrored, at place, o sim.Object) error {
	client := f.client(k, at.namespace)
	there, err := client.Get(ctx, at.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !k.spec && !equality.Semantic.DeepEqual(there.Object["spec"], o["spec"]) {
		there.Object["spec"] = runtime.DeepCopyJSONValue(o["spec"])
		if there, err = client.Update(ctx, there, metav1.UpdateOptions{}); err != nil {
			return err
		}
		m.taken(at, there.GetGeneration())
	}
	status := m.statusOf(at, o)
	if status == nil || equality.Semantic.DeepEqual(there.Object["status"], status) {
		return nil
	}
	there.Object["status"] = status
	_, err = client.UpdateStatus(ctx, there, metav1.UpdateOptions{})
	return err
}

// statusOf returns the model's status of an object. It observed the generation of the API server
// that the model knows, or an earlier one.
func (m *Member) statusOf(at place, o sim.Object) any {
	status, has := runtime.DeepCopyJSONValue(o["status"]).(map[string]any)
	if !has {
		return nil
	}
	if observed, is := status["observedGeneration"].(int64); is {
		m.mu.Lock()
		defer m.mu.Unlock()
		status["observedGeneration"] = m.generation[at]
		if observed < (&unstructured.Unstructured{Object: o}).GetGeneration() {
			status["observedGeneration"] = m.generation[at] - 1
		}
	}
	return status
}
