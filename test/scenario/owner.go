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

// Git is rkeConfig of the lab's Cluster as somebody keeps it in Git for Fleet: one state
// for each commit, the first one that of before.
type Git struct {
	lab     *Lab
	commits []map[string]any
}

// KeepInGit takes what stands into Git: from now on it is Fleet's.
func (l *Lab) KeepInGit(ctx context.Context) (*Git, error) {
	before, err := l.RKEConfig(ctx)
	if err != nil {
		return nil, err
	}
	return &Git{lab: l, commits: []map[string]any{before}}, nil
}

// Commits are how often something was committed.
func (g *Git) Commits() int { return len(g.commits) - 1 }

// Commit replaces fields of rkeConfig by those of a fragment, whole, and lets Fleet apply
// that.
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

// Return puts the configuration back as it was after so many commits, 0: as it was
// before the first one.
func (g *Git) Return(ctx context.Context, commits int) error {
	if commits < 0 || commits >= g.Commits() {
		return fmt.Errorf("return to commit %d of %d: it is none of before", commits, g.Commits())
	}
	return g.apply(ctx, g.commits[commits])
}

// apply is Fleet's: Helm sends the difference between the manifest of before and the new
// one as a merge patch, whatever the object is by now
// (helm/helm:pkg/kube/client.go@v3.22.0).
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

// fieldsOf are the fields of rkeConfig that a fragment in YAML is to replace.
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

// EditFragment is a fragment in YAML as somebody commits it who changes it on the way.
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

// Reorder turns the lists of a configuration around, arguments and selectors with their
// values, as a webhook or Terraform's provider does that sorts them. The entries of
// machineSelectorConfig stay where they are: of them the last one counts.
func Reorder(rkeConfig map[string]any) {
	turn(rkeConfig["machineGlobalConfig"])
	entries, _ := rkeConfig["machineSelectorConfig"].([]any)
	for _, entry := range entries {
		turn(entry)
	}
}

func turn(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			turn(inner)
		}
	case []any:
		slices.Reverse(v)
		for _, inner := range v {
			turn(inner)
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
