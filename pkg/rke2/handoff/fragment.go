package handoff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
)

// Form is the output format of a fragment.
type Form string

// Forms returns all forms.
func Forms() []Form { return []Form{Terraform, Fleet, ArgoCD, Patch} }

const (
	// Terraform is HCL for rancher2_cluster_v2.
	Terraform Form = "terraform"
	// Fleet is a YAML manifest with the changed fields of the Cluster object.
	Fleet Form = "fleet"
	// ArgoCD is the same manifest as Fleet.
	ArgoCD Form = "argocd"
	// Patch is a JSON patch with tests.
	Patch Form = "patch"
)

// Known reports whether a form exists.
func Known(form Form) bool { return slices.Contains(Forms(), form) }

// Fragment is one edit of one Cluster object, for its owner to commit.
type Fragment struct {
	Namespace, Name string
	Head            []string // what the reader must know, one line each
	Before, After   config.Spec
	Edit            edits.Edit
}

// Text formats the fragment.
func (f Fragment) Text(form Form) (string, error) {
	switch form {
	case Terraform:
		return f.terraform()
	case Fleet, ArgoCD:
		return f.manifest()
	case Patch:
		return f.patch()
	}
	return "", fmt.Errorf("no form %q", form)
}

// manifest writes each changed field as a whole: a merged list would differ from the edit.
func (f Fragment) manifest() (string, error) {
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"namespace": f.Namespace, "name": f.Name},
		"spec":     map[string]any{"rkeConfig": config.ChangedFields(f.Before, f.After)},
	})
	if err != nil {
		return "", fmt.Errorf("write the fragment of Cluster %s/%s: %w", f.Namespace, f.Name, err)
	}
	return f.head() + string(text), nil
}

// patch returns no comments, which JSON does not have: callers print the head next to it.
func (f Fragment) patch() (string, error) {
	raw, err := f.Edit.JSONPatch()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return "", fmt.Errorf("write the patch of Cluster %s/%s: %w", f.Namespace, f.Name, err)
	}
	return out.String() + "\n", nil
}

func (f Fragment) head() string {
	var b strings.Builder
	for _, line := range f.Head {
		b.WriteString("# " + line + "\n")
	}
	return b.String()
}
