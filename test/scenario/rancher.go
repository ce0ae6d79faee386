package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Resources of the management cluster that scenarios read or change.
func clusters() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
}

func controlPlanes() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
}

func machines() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machines"}
}

func settings() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
}

// Operation is one operation of a JSON patch.
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// AddCluster creates another Cluster object and waits until Rancher has adopted it, so that no
// part of it appears later.
func (l *Lab) AddCluster(ctx context.Context, name string, spec map[string]any) error {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": name, "namespace": clusterNamespace}, "spec": spec}}
	if _, err := l.Management.Resource(clusters()).Namespace(clusterNamespace).Create(ctx, o, metav1.CreateOptions{}); err != nil {
		return err
	}
	if spec["rkeConfig"] == nil {
		return nil // Rancher provisions nothing for it
	}
	return Until(ctx, "Rancher to adopt Cluster "+name, func(ctx context.Context) (bool, string, error) {
		o, err := l.Management.Resource(clusters()).Namespace(clusterNamespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		id, _, _ := unstructured.NestedString(o.Object, "status", "clusterName")
		return id != "", "status.clusterName is " + id, nil
	})
}

// RemoveCluster deletes a Cluster object and waits until it is gone.
func (l *Lab) RemoveCluster(ctx context.Context, name string) error {
	resource := l.Management.Resource(clusters()).Namespace(clusterNamespace)
	if err := resource.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return Until(ctx, "Cluster "+name+" to be gone", func(ctx context.Context) (bool, string, error) {
		_, err := resource.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, "", nil
		}
		return false, "it is there", err
	})
}

// PatchCluster edits the lab's Cluster object as a person would.
func (l *Lab) PatchCluster(ctx context.Context, operations ...Operation) error {
	patch, err := json.Marshal(operations)
	if err != nil {
		return err
	}
	_, err = l.Management.Resource(clusters()).Namespace(clusterNamespace).
		Patch(ctx, clusterName, types.JSONPatchType, patch, metav1.PatchOptions{})
	return err
}

// Cluster returns the lab's Cluster object.
func (l *Lab) Cluster(ctx context.Context) (*unstructured.Unstructured, error) {
	return l.Management.Resource(clusters()).Namespace(clusterNamespace).Get(ctx, clusterName, metav1.GetOptions{})
}

// ControlPlane returns Rancher's RKEControlPlane of the lab.
func (l *Lab) ControlPlane(ctx context.Context) (*unstructured.Unstructured, error) {
	return l.Management.Resource(controlPlanes()).Namespace(clusterNamespace).Get(ctx, clusterName, metav1.GetOptions{})
}

// Paused reports whether Rancher is paused for the cluster, and by whom: the annotation
// awsmigrate.io/paused-by, empty for a person.
func (l *Lab) Paused(ctx context.Context) (paused bool, by string, err error) {
	o, err := l.ControlPlane(ctx)
	if err != nil {
		return false, "", err
	}
	return o.GetAnnotations()["cluster.x-k8s.io/paused"] == "true", o.GetAnnotations()["awsmigrate.io/paused-by"], nil
}

// Pause pauses Rancher's planner and waits until it noticed. Pause(false) resumes it, once it has the
// Cluster's configuration of now, and waits until the cluster is at rest.
func (l *Lab) Pause(ctx context.Context, on bool) error {
	patch, want := `{"metadata":{"annotations":{"cluster.x-k8s.io/paused":null}}}`, "True"
	if on {
		patch, want = `{"metadata":{"annotations":{"cluster.x-k8s.io/paused":"true"}}}`, "Unknown"
	} else if err := l.waitCopied(ctx); err != nil {
		return err
	}
	_, err := l.Management.Resource(controlPlanes()).Namespace(clusterNamespace).
		Patch(ctx, clusterName, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return l.waitReady(ctx, want)
}

// waitReady waits until the RKEControlPlane's condition Ready has a status.
func (l *Lab) waitReady(ctx context.Context, status string) error {
	return Until(ctx, "condition Ready of the RKEControlPlane to be "+status, func(ctx context.Context) (bool, string, error) {
		o, err := l.ControlPlane(ctx)
		if err != nil {
			return false, "", err
		}
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, c := range conditions {
			if fields, ok := c.(map[string]any); ok && fields["type"] == "Ready" {
				return fields["status"] == status, fmt.Sprint(fields["status"], " ", fields["message"]), nil
			}
		}
		return false, "no condition Ready", nil
	})
}

// PretendRancher sets Rancher's version and waits until its planner is idle. The version changes
// only the metadata of the cluster's release in the stand-in.
func (l *Lab) PretendRancher(ctx context.Context, version string) error {
	patch := fmt.Appendf(nil, `{"value":%q}`, version)
	if _, err := l.Management.Resource(settings()).Patch(ctx, "server-version", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return l.waitReady(ctx, "True")
}

// Machines returns the names of the Machines with a role, e.g. "worker".
func (l *Lab) Machines(ctx context.Context, role string) ([]string, error) {
	byUID, err := l.MachineUIDs(ctx, role)
	return slices.Sorted(maps.Values(byUID)), err
}

// MachineUIDs returns the names of the Machines with a role by UID.
func (l *Lab) MachineUIDs(ctx context.Context, role string) (map[string]string, error) {
	list, err := l.Management.Resource(machines()).Namespace(clusterNamespace).List(ctx, metav1.ListOptions{
		LabelSelector: "cluster.x-k8s.io/cluster-name=" + clusterName + ",rke.cattle.io/" + role + "-role=true"})
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for i := range list.Items {
		names[string(list.Items[i].GetUID())] = list.Items[i].GetName()
	}
	return names, nil
}

// LabelMachine sets a label of a Machine.
func (l *Lab) LabelMachine(ctx context.Context, machine, label, value string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, label, value)
	_, err := l.Management.Resource(machines()).Namespace(clusterNamespace).Patch(ctx, machine, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// AtRest waits until Rancher has applied the Cluster everywhere.
func (l *Lab) AtRest(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	return l.waitReady(ctx, "True")
}

// NodeOf returns the name of a Machine's Node.
func (l *Lab) NodeOf(ctx context.Context, machine string) (string, error) {
	o, err := l.Management.Resource(machines()).Namespace(clusterNamespace).Get(ctx, machine, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	name, _, err := unstructured.NestedString(o.Object, "status", "nodeRef", "name")
	if err == nil && name == "" {
		err = fmt.Errorf("find the Node of Machine %s: not registered", machine)
	}
	return name, err
}
