package look

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// migrations returns the ClusterMigrations by namespace and name of their cluster, or nil if the
// kind is not served. It asks discovery first, which every user may read, because a list may be
// forbidden even if the kind does not exist.
func (m management) migrations(ctx context.Context, namespace string) (map[string]*inventory.Migration, error) {
	const object = "ClusterMigrations"
	_, err := m.kube.Discovery().ServerResourcesForGroupVersion(v1alpha1.SchemeGroupVersion.String())
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, migration.CouldNotRead(object, err)
	}
	list, err := m.dynamic.Resource(v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")).Namespace(namespace).List(ctx, listAll)
	if err != nil {
		return nil, migration.CouldNotRead(object, err)
	}
	found := map[string]*inventory.Migration{}
	for i := range list.Items {
		o := &list.Items[i]
		text := func(path ...string) string { s, _, _ := unstructured.NestedString(o.Object, path...); return s }
		found[o.GetNamespace()+"/"+o.GetName()] = &inventory.Migration{Goal: string(v1alpha1.Goal(text("spec", "goal")).OrDefault()),
			State: text("status", "display", "state"), Message: text("status", "display", "message")}
	}
	return found, nil
}
