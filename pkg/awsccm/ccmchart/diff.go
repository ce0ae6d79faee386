package ccmchart

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/textdiff"
)

// ObjectChange is the change of one object by an installation.
type ObjectChange struct {
	Object string // "DaemonSet kube-system/aws-cloud-controller-manager"
	// Before and After are YAML, or empty if the object does not exist. The data of Secrets are
	// hashed.
	Before, After string
	Diff          string // unified diff
}

// Diff compares two lists of objects and omits equal ones.
func Diff(before, after []unstructured.Unstructured) ([]ObjectChange, error) {
	old, err := texts(before)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []ObjectChange
	add := func(name, a, b string) {
		if a != b {
			out = append(out, ObjectChange{Object: name, Before: a, After: b, Diff: textdiff.Unified(name, a, b)})
		}
	}
	for i := range after {
		name := ObjectName(&after[i])
		seen[name] = true
		text, err := textOf(&after[i])
		if err != nil {
			return nil, err
		}
		add(name, old[name], text)
	}
	for i := range before {
		if name := ObjectName(&before[i]); !seen[name] {
			add(name, old[name], "")
		}
	}
	return out, nil
}

func texts(objects []unstructured.Unstructured) (map[string]string, error) {
	out := map[string]string{}
	for i := range objects {
		text, err := textOf(&objects[i])
		if err != nil {
			return nil, err
		}
		out[ObjectName(&objects[i])] = text
	}
	return out, nil
}

// textOf returns the object as YAML with hashed secrets: their changes must be visible, their
// content must not.
func textOf(u *unstructured.Unstructured) (string, error) {
	shown := u.Object
	if u.GetKind() == "Secret" {
		shown = deepCopy(shown)
		for _, field := range []string{"data", "stringData"} {
			for key, value := range asMap(shown[field]) {
				asMap(shown[field])[key] = "sha256:" + shortHash(fmt.Sprint(value))
			}
		}
	}
	text, err := yaml.Marshal(shown)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", ObjectName(u), err)
	}
	return string(text), nil
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
