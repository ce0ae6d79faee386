package scenario

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// auditor is a user without rights.
const auditor = "auditor"

// notForAudit lists roles in the shipped file that an audit of the cluster does not need. With
// them, reads that need the recorder's rights would count as the audit's.
var notForAudit = []string{"awsmigrate-audit-rancher", "awsmigrate-record"}

// GrantAudit creates the shipped read-only roles in the cluster, bound to the auditor, and returns
// that user's kubeconfig. It applies the file unchanged, except for its subjects and the roles of
// notForAudit.
func (l *Lab) GrantAudit(ctx context.Context, file, dir string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	client, err := dynamic.NewForConfig(l.Config)
	if err != nil {
		return "", err
	}
	for _, document := range strings.Split(string(text), "\n---\n") {
		var object unstructured.Unstructured
		if err := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(document), 4096).Decode(&object.Object); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if slices.Contains(notForAudit, object.GetName()) {
			continue
		}
		if _, bound := object.Object["subjects"]; bound {
			object.Object["subjects"] = []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": auditor}}
		}
		if _, err := rbac(client, object.GetKind(), object.GetNamespace()).Create(ctx, &object, metav1.CreateOptions{}); err != nil {
			return "", fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	kubeconfig, err := clientcmd.LoadFromFile(l.Kubeconfig("downstream"))
	if err != nil {
		return "", err
	}
	for _, user := range kubeconfig.AuthInfos {
		user.Impersonate = auditor
	}
	path := filepath.Join(dir, "auditor.yaml")
	return path, clientcmd.WriteToFile(*kubeconfig, path)
}

// TakeAudit removes one of the shipped bindings.
func (l *Lab) TakeAudit(ctx context.Context, kind, namespace, name string) error {
	client, err := dynamic.NewForConfig(l.Config)
	if err != nil {
		return err
	}
	return rbac(client, kind, namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

func rbac(client dynamic.Interface, kind, namespace string) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: kind})
	if namespace == "" {
		return client.Resource(plural)
	}
	return client.Resource(plural).Namespace(namespace)
}
