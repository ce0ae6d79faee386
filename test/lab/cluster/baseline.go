package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

// baseline holds the state of the lab when it became ready: the objects of both clusters by
// name, and the Cluster's spec.
type baseline struct {
	spec       map[string]any
	files      map[string][]byte // RKE: rke's files
	names      map[string]bool   // RKE: the files in the lab's folder
	removed    []string          // by the current reset
	downstream inventory
	management inventory
}

// inventory is the set of those objects of a cluster that only users create.
type inventory struct {
	client dynamic.Interface
	kinds  []schema.GroupVersionResource
	known  map[string]bool
}

// ignoredKinds returns kinds that are derived from others, or that describe the state of the
// cluster.
func ignoredKinds() []string {
	return []string{
		"events", "pods", "endpoints", "endpointslices", "nodes", "replicasets", "controllerrevisions", "leases",
		"apiservices", "flowschemas", "prioritylevelconfigurations", "componentstatuses", "csinodes", "csistoragecapacities", "volumeattachments",
		// Rancher derives these from the Cluster.
		"machines", "machinedeployments", "machinehealthchecks", "rkecontrolplanes", "etcdsnapshots",
	}
}

func takeInventory(ctx context.Context, kinds discovery.DiscoveryInterface, client dynamic.Interface, keep []string) (inventory, error) {
	out := inventory{client: client, known: map[string]bool{}}
	lists, err := kinds.ServerPreferredResources()
	if err != nil {
		return out, fmt.Errorf("listing the kinds of objects: %w", err)
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return out, err
		}
		for _, r := range list.APIResources {
			verbs := sets(r.Verbs)
			if verbs["list"] && verbs["delete"] && !slices.Contains(ignoredKinds(), r.Name) && !slices.Contains(keep, r.Name) {
				out.kinds = append(out.kinds, version.WithResource(r.Name))
			}
		}
	}
	return out, out.each(ctx, func(id string, _ schema.GroupVersionResource, _ *unstructured.Unstructured) error {
		out.known[id] = true
		return nil
	})
}

func sets(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

func (i inventory) each(ctx context.Context, do func(id string, kind schema.GroupVersionResource, o *unstructured.Unstructured) error) error {
	var errs []error
	for _, kind := range i.kinds {
		list, err := i.client.Resource(kind).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue // the kind no longer exists
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("listing %s: %w", kind.Resource, err))
			continue
		}
		for n := range list.Items {
			o := &list.Items[n]
			id := strings.Join([]string{kind.Group, kind.Resource, o.GetNamespace(), o.GetName()}, "/")
			errs = append(errs, do(id, kind, o))
		}
	}
	return errors.Join(errs...)
}

// removeNew deletes the objects that are not in the inventory and returns their names.
func (i inventory) removeNew(ctx context.Context) ([]string, error) {
	var removed []string
	background := metav1.DeletePropagationBackground
	err := i.each(ctx, func(id string, kind schema.GroupVersionResource, o *unstructured.Unstructured) error {
		if i.known[id] || o.GetDeletionTimestamp() != nil || ownedByRancher(o) {
			return nil
		}
		err := i.client.Resource(kind).Namespace(o.GetNamespace()).Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &background})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting %s: %w", id, err)
		}
		removed = append(removed, strings.Trim(id, "/"))
		return nil
	})
	return removed, err
}

// ownedByRancher reports whether the stand-in created an object for machines or the Cluster.
func ownedByRancher(o *unstructured.Unstructured) bool {
	_, cluster := o.GetLabels()["cluster.x-k8s.io/cluster-name"]
	return cluster && o.GetKind() == "Secret"
}
