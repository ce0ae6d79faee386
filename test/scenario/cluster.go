package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
)

// Rancher's name for the lab's cluster.
const (
	clusterNamespace = "fleet-default"
	clusterName      = "demo"
)

// RKEConfig returns spec.rkeConfig of Rancher's Cluster object.
func (l *Lab) RKEConfig(ctx context.Context) (map[string]any, error) {
	object, err := l.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	config, found, err := unstructured.NestedMap(object.Object, "spec", "rkeConfig")
	if err != nil || !found {
		return nil, fmt.Errorf("spec.rkeConfig of Cluster %s/%s: found %t, %w", clusterNamespace, clusterName, found, err)
	}
	return config, nil
}

// EditRKEConfig edits spec.rkeConfig as a person does in Rancher's YAML editor: it reads, changes
// and writes back the whole object.
func (l *Lab) EditRKEConfig(ctx context.Context, change func(rkeConfig map[string]any)) error {
	resource := l.Management.Resource(clusters()).Namespace(clusterNamespace)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object, err := l.Cluster(ctx)
		if err != nil {
			return err
		}
		config, _, err := unstructured.NestedMap(object.Object, "spec", "rkeConfig")
		if err != nil {
			return err
		}
		change(config)
		if err := unstructured.SetNestedMap(object.Object, config, "spec", "rkeConfig"); err != nil {
			return err
		}
		_, err = resource.Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
}

// SelectorEntry appends an entry to machineSelectorConfig for the machines with a label, as in
// Rancher's guide for control planes.
func SelectorEntry(rkeConfig map[string]any, label string, config map[string]any) {
	entries, _ := rkeConfig["machineSelectorConfig"].([]any)
	rkeConfig["machineSelectorConfig"] = append(entries, map[string]any{
		"config":               config,
		"machineLabelSelector": map[string]any{"matchLabels": map[string]any{label: "true"}},
	})
}

// ControlPlaneLabel is the label of Machines that run a control plane.
const ControlPlaneLabel = "rke.cattle.io/control-plane-role"

// WaitApplied waits until Rancher has copied the configuration of the Cluster object and no
// machine has pending changes.
func (l *Lab) WaitApplied(ctx context.Context) error {
	return Until(ctx, "Rancher to apply the Cluster object everywhere", func(ctx context.Context) (bool, string, error) {
		plane, missing, err := l.copied(ctx)
		if err != nil || missing != "" {
			return false, missing, err
		}
		spec, _, _ := unstructured.NestedMap(plane.Object, "spec")
		applied, _, _ := unstructured.NestedMap(plane.Object, "status", "appliedSpec")
		ready := conditionOf(plane, "Ready")
		return reflect.DeepEqual(spec, applied) && ready == "True", "RKEControlPlane: Ready is " + ready, nil
	})
}

// waitCopied waits until Rancher has copied the configuration of the Cluster object, which it does
// also while it is paused.
func (l *Lab) waitCopied(ctx context.Context) error {
	return Until(ctx, "Rancher to copy the Cluster object", func(ctx context.Context) (bool, string, error) {
		_, missing, err := l.copied(ctx)
		return err == nil && missing == "", missing, err
	})
}

// copied returns the RKEControlPlane, and which part of the Cluster's configuration it does not have
// yet, or nothing.
func (l *Lab) copied(ctx context.Context) (plane *unstructured.Unstructured, missing string, err error) {
	want, err := l.RKEConfig(ctx)
	if err != nil {
		return nil, "", err
	}
	if plane, err = l.ControlPlane(ctx); err != nil {
		return nil, "", err
	}
	spec, _, _ := unstructured.NestedMap(plane.Object, "spec")
	for _, key := range []string{"machineGlobalConfig", "machineSelectorConfig", "additionalManifest"} {
		if !sameJSON(spec[key], want[key]) {
			return plane, key + " is not copied yet", nil
		}
	}
	return plane, "", nil
}

// sameJSON reports whether two values are equal; nil equals an empty value.
func sameJSON(a, b any) bool {
	text := func(v any) string {
		raw, err := json.Marshal(v)
		if s := string(raw); err == nil && s != `""` && s != "null" && s != "[]" {
			return s
		}
		return ""
	}
	return text(a) == text(b)
}

func conditionOf(object *unstructured.Unstructured, kind string) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, c := range conditions {
		fields, _ := c.(map[string]any)
		if fields["type"] == kind {
			status, _ := fields["status"].(string)
			return status
		}
	}
	return "missing"
}
