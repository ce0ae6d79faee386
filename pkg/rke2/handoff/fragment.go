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

// Form is what a fragment is written for.
type Form string

// Forms are all of them.
func Forms() []Form { return []Form{Terraform, Fleet, ArgoCD, Patch} }

const (
	// Terraform is HCL for rancher2_cluster_v2.
	Terraform Form = "terraform"
	// Fleet is the changed fields of the Cluster object, as a YAML manifest.
	Fleet Form = "fleet"
	// ArgoCD is the same.
	ArgoCD Form = "argocd"
	// Patch is a JSON patch with tests.
	Patch Form = "patch"
)

// Known says whether there is such a form.
func Known(form Form) bool { return slices.Contains(Forms(), form) }

// Fragment is one edit of one Cluster object, to be committed by whoever keeps it.
type Fragment struct {
	Namespace, Name string
	Head            []string // what its reader has to know, one line each
	Before, After   config.Spec
	Edit            edits.Edit
}

// Text writes the fragment.
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

// manifest has each changed field whole: a list that is merged would not be the edit.
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

// patch knows no comments: what its reader has to know is said beside it.
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
