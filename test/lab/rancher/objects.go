package rancher

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/retry"
)

type object = unstructured.Unstructured

// decode converts a part of an object to a struct.
func decode(in any, into any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// plain converts a value to a form that an unstructured object may hold.
func plain(in any) (any, error) {
	b, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	var out any
	err = utiljson.Unmarshal(b, &out)
	return out, err
}

func str(o *object, path ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, path...)
	return s
}

func boolean(o *object, path ...string) bool {
	b, _, _ := unstructured.NestedBool(o.Object, path...)
	return b
}

func integer(o *object, path ...string) int64 {
	n, _, _ := unstructured.NestedInt64(o.Object, path...)
	return n
}

func mapAt(o *object, path ...string) map[string]any {
	m, _, _ := unstructured.NestedMap(o.Object, path...)
	return m
}

func newObject(gvr schema.GroupVersionResource, kind, namespace, name string) *object {
	o := &object{Object: map[string]any{}}
	o.SetAPIVersion(gvr.GroupVersion().String())
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// Simulated is a label of the objects of simulated clusters, which others maintain. The stand-in acts
// on no such object.
const Simulated = "lab.awsmigrate.io/simulated"

func (r *Rancher) list(ctx context.Context, gvr schema.GroupVersionResource, namespace, selector string) ([]object, error) {
	selector = strings.TrimPrefix(selector+",!"+Simulated, ",")
	l, err := r.dyn.Resource(gvr).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", gvr.GroupResource(), err)
	}
	return l.Items, nil
}

// get returns nil for a missing object.
func (r *Rancher) get(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) (*object, error) {
	o, err := r.dyn.Resource(gvr).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return o, err
}

// ensure creates the object unless it exists, and returns the existing one.
func (r *Rancher) ensure(ctx context.Context, gvr schema.GroupVersionResource, o *object) (*object, error) {
	found, err := r.get(ctx, gvr, o.GetNamespace(), o.GetName())
	if err != nil || found != nil {
		return found, err
	}
	made, err := r.dyn.Resource(gvr).Namespace(o.GetNamespace()).Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("creating %s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
	}
	return made, nil
}

// mutate reads, changes and writes an object, and retries on a conflict. A missing object is no
// error, and an unchanged one is not written.
func (r *Rancher) mutate(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string, change func(*object) error) error {
	return r.write(ctx, gvr, namespace, name, change, func(o *object) error {
		_, err := r.dyn.Resource(gvr).Namespace(namespace).Update(ctx, o, metav1.UpdateOptions{})
		return err
	})
}

// settleStatus is mutateStatus for an object that was just read: without a change it sends no
// request.
func (r *Rancher) settleStatus(ctx context.Context, gvr schema.GroupVersionResource, known *object, change func(*object) error) error {
	after := known.DeepCopy()
	if err := change(after); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(known.Object, after.Object) {
		return nil
	}
	return r.mutateStatus(ctx, gvr, known.GetNamespace(), known.GetName(), change)
}

// mutateStatus is mutate for the status subresource.
func (r *Rancher) mutateStatus(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string, change func(*object) error) error {
	return r.write(ctx, gvr, namespace, name, change, func(o *object) error {
		_, err := r.dyn.Resource(gvr).Namespace(namespace).UpdateStatus(ctx, o, metav1.UpdateOptions{})
		return err
	})
}

func (r *Rancher) write(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string, change, put func(*object) error) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o, err := r.get(ctx, gvr, namespace, name)
		if err != nil || o == nil {
			return err
		}
		before := o.DeepCopy()
		if err := change(o); err != nil {
			return err
		}
		if equality.Semantic.DeepEqual(before.Object, o.Object) {
			return nil
		}
		return put(o)
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("writing %s %s/%s: %w", gvr.GroupResource(), namespace, name, err)
	}
	return nil
}

func (r *Rancher) remove(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) error {
	err := r.dyn.Resource(gvr).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s %s/%s: %w", gvr.GroupResource(), namespace, name, err)
	}
	return nil
}
