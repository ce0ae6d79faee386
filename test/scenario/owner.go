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

// FleetManager is the field manager of Fleet's writes: Helm uses the program's name
// (helm/helm#9870), which is fleetagent (rancher/fleet:package/Dockerfile.agent@01f78c6a).
const FleetManager = "fleetagent"

// Git is a Git repository with rkeConfig of the lab's Cluster, which Fleet applies. It has one
// state per commit; the first one precedes all commits.
type Git struct {
	lab     *Lab
	commits []map[string]any
}

// KeepInGit puts the current configuration into Git: Fleet owns it from now on.
func (l *Lab) KeepInGit(ctx context.Context) (*Git, error) {
	before, err := l.RKEConfig(ctx)
	if err != nil {
		return nil, err
	}
	return &Git{lab: l, commits: []map[string]any{before}}, nil
}

// Commits returns the number of commits.
func (g *Git) Commits() int { return len(g.commits) - 1 }

// Commit replaces fields of rkeConfig by those of a fragment, each as a whole, and lets Fleet
// apply the result.
func (g *Git) Commit(ctx context.Context, fragment string) error {
	changed, err := fieldsOf(fragment)
	if err != nil {
		return err
	}
	after := maps.Clone(g.commits[g.Commits()])
	for field, value := range changed {
		if after[field] = value; value == nil {
			delete(after, field)
		}
	}
	return g.apply(ctx, after)
}

// Return restores the configuration after the given number of commits; 0 restores the original.
func (g *Git) Return(ctx context.Context, commits int) error {
	if commits < 0 || commits >= g.Commits() {
		return fmt.Errorf("return to commit %d of %d: not an earlier commit", commits, g.Commits())
	}
	return g.apply(ctx, g.commits[commits])
}

// apply writes as Fleet does: Helm sends the difference between the previous manifest and the new
// one as a merge patch, regardless of the current object (helm/helm:pkg/kube/client.go@v3.22.0).
func (g *Git) apply(ctx context.Context, after map[string]any) error {
	patch, err := mergePatch(g.commits[g.Commits()], after)
	if err != nil {
		return err
	}
	_, err = g.lab.Management.Resource(clusters()).Namespace(clusterNamespace).
		Patch(ctx, clusterName, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FleetManager})
	if err != nil {
		return err
	}
	g.commits = append(g.commits, after)
	return nil
}

// fieldsOf returns the fields of rkeConfig in a YAML fragment.
func fieldsOf(fragment string) (map[string]any, error) {
	var change struct {
		Kind     string
		Metadata struct{ Name, Namespace string }
		Spec     struct{ RKEConfig map[string]any }
	}
	if err := yaml.Unmarshal([]byte(fragment), &change); err != nil {
		return nil, fmt.Errorf("read the fragment: %w\n%s", err, fragment)
	}
	if change.Kind != "Cluster" || change.Metadata.Name != clusterName || change.Metadata.Namespace != clusterNamespace || len(change.Spec.RKEConfig) == 0 {
		return nil, fmt.Errorf("no change of Cluster %s/%s:\n%s", clusterNamespace, clusterName, fragment)
	}
	return change.Spec.RKEConfig, nil
}

// EditFragment returns a YAML fragment with a change, as from a user who edits it before the
// commit.
func EditFragment(fragment string, change func(rkeConfig map[string]any)) (string, error) {
	fields, err := fieldsOf(fragment)
	if err != nil {
		return "", err
	}
	change(fields)
	text, err := yaml.Marshal(map[string]any{"kind": "Cluster", "metadata": map[string]any{"name": clusterName, "namespace": clusterNamespace},
		"spec": map[string]any{"rkeConfig": fields}})
	return string(text), err
}

// Reorder reverses the lists of a configuration, as a webhook or Terraform's provider does that
// sorts arguments and selectors. The entries of machineSelectorConfig keep their order, because
// the last one wins.
func Reorder(rkeConfig map[string]any) {
	reverse(rkeConfig["machineGlobalConfig"])
	entries, _ := rkeConfig["machineSelectorConfig"].([]any)
	for _, entry := range entries {
		reverse(entry)
	}
}

func reverse(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			reverse(inner)
		}
	case []any:
		slices.Reverse(v)
		for _, inner := range v {
			reverse(inner)
		}
	}
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

// ApplyPatch applies a JSON patch to the Cluster object, as a person does.
func (l *Lab) ApplyPatch(ctx context.Context, patch string) error {
	_, err := l.KubectlManagement(ctx, "", "-n", clusterNamespace, "patch", "clusters.provisioning.cattle.io", clusterName, "--type", "json", "--patch", patch)
	return err
}

// ClusterWriters returns the field managers in the Cluster object.
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
