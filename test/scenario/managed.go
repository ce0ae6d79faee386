package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ManagedID is Rancher's name for a lab's RKE1 cluster.
const ManagedID = "c-7kq2x"

func managedClusters() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"}
}

// ManagedSpec returns spec.rancherKubernetesEngineConfig of Rancher's Cluster.
func (l *Lab) ManagedSpec(ctx context.Context) (map[string]any, error) {
	o, err := l.Management.Resource(managedClusters()).Get(ctx, ManagedID, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	spec, _, err := unstructured.NestedMap(o.Object, "spec", "rancherKubernetesEngineConfig")
	return spec, err
}

// AddManagedCluster creates another Cluster in Rancher that stays unprovisioned.
func (l *Lab) AddManagedCluster(ctx context.Context, id, displayName, driver string) error {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster",
		"metadata": map[string]any{"name": id}, "spec": map[string]any{"displayName": displayName}}}
	made, err := l.Management.Resource(managedClusters()).Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Object["status"] = map[string]any{"driver": driver}
	_, err = l.Management.Resource(managedClusters()).UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}
