package scenario

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// LetViewerRead lets the viewer read everything on both API servers, including Secrets, and write
// nothing. The returned function revokes the right.
func (l *Lab) LetViewerRead(ctx context.Context) (func(context.Context) error, error) {
	downstream, err := dynamic.NewForConfig(l.Config)
	if err != nil {
		return nil, err
	}
	both := []dynamic.Interface{l.Management, downstream}
	resource := func(name string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: name}
	}
	object := func(kind string, more map[string]any) *unstructured.Unstructured {
		more["apiVersion"], more["kind"] = "rbac.authorization.k8s.io/v1", kind
		more["metadata"] = map[string]any{"name": "reader"}
		return &unstructured.Unstructured{Object: more}
	}
	rule := func(group, resource string, verbs ...any) any {
		return map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": verbs}
	}
	for _, client := range both {
		_, roleErr := client.Resource(resource("clusterroles")).Create(ctx, object("ClusterRole", map[string]any{"rules": []any{
			rule("*", "*", "get", "list", "watch"),
			rule("authorization.k8s.io", "subjectaccessreviews", "create"),
		}}), metav1.CreateOptions{})
		_, bindingErr := client.Resource(resource("clusterrolebindings")).Create(ctx, object("ClusterRoleBinding", map[string]any{
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
			"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "viewer"}},
		}), metav1.CreateOptions{})
		if err := errors.Join(roleErr, bindingErr); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		var errs []error
		for _, client := range both {
			for _, kind := range []string{"clusterrolebindings", "clusterroles"} {
				if err := client.Resource(resource(kind)).Delete(ctx, "reader", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
					errs = append(errs, err)
				}
			}
		}
		return errors.Join(errs...)
	}, nil
}
