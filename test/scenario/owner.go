package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// FleetManager is the field manager of what Fleet writes: Helm takes the program's name
// (helm/helm#9870), which is fleetagent (rancher/fleet:package/Dockerfile.agent@01f78c6a).
const FleetManager = "fleetagent"

// Git is the manifest of the lab's Cluster as somebody keeps it in Git for Fleet.
type Git struct {
	lab      *Lab
	manifest map[string]any
}

// KeepInGit takes what stands into Git: from now on it is Fleet's.
func (l *Lab) KeepInGit(ctx context.Context) (*Git, error) {
	object, err := l.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	return &Git{lab: l, manifest: map[string]any{
		"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "spec": object.Object["spec"],
		"metadata": map[string]any{"name": object.GetName(), "namespace": object.GetNamespace()},
	}}, nil
}

// Commit replaces fields of rkeConfig by those of a fragment, whole, and lets Fleet apply
// that: Helm sends the difference between the manifest of before and the new one as a
// merge patch, whatever the object is by now (helm/helm:pkg/kube/client.go@v3.22.0).
func (g *Git) Commit(ctx context.Context, fragment string) error {
	var change struct {
		Kind     string
		Metadata struct{ Name, Namespace string }
		Spec     struct{ RKEConfig map[string]any }
	}
	if err := yaml.Unmarshal([]byte(fragment), &change); err != nil {
		return fmt.Errorf("read the fragment: %w\n%s", err, fragment)
	}
	if change.Kind != "Cluster" || change.Metadata.Name != clusterName || change.Metadata.Namespace != clusterNamespace || len(change.Spec.RKEConfig) == 0 {
		return fmt.Errorf("no change of Cluster %s/%s:\n%s", clusterNamespace, clusterName, fragment)
	}
	spec, _ := g.manifest["spec"].(map[string]any)
	before, _ := spec["rkeConfig"].(map[string]any)
	after := maps.Clone(before)
	for field, value := range change.Spec.RKEConfig {
		if after[field] = value; value == nil {
			delete(after, field)
		}
	}
	patch, err := mergePatch(before, after)
	if err != nil {
		return err
	}
	_, err = g.lab.Management.Resource(clusters()).Namespace(clusterNamespace).
		Patch(ctx, clusterName, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FleetManager})
	if err != nil {
		return err
	}
	spec["rkeConfig"] = after
	return nil
}

func mergePatch(before, after map[string]any) ([]byte, error) {
	was, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	is, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	change, err := jsonpatch.CreateMergePatch(was, is)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"spec":{"rkeConfig":%s}}`, change), nil
}

// ApplyPatch applies a JSON patch to the Cluster object as a person does.
func (l *Lab) ApplyPatch(ctx context.Context, patch string) error {
	_, err := l.KubectlManagement(ctx, "", "-n", clusterNamespace, "patch", "clusters.provisioning.cattle.io", clusterName, "--type", "json", "--patch", patch)
	return err
}

// ClusterWriters are the field managers that the Cluster object remembers.
func (l *Lab) ClusterWriters(ctx context.Context) ([]string, error) {
	object, err := l.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	return writersOf(object), nil
}

func writersOf(object *unstructured.Unstructured) []string {
	var names []string
	for _, entry := range object.GetManagedFields() {
		names = append(names, entry.Manager)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
