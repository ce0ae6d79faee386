package rancher

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// groupCAPI is the API group of Cluster API.
const groupCAPI = "cluster.x-k8s.io"

// servedCAPI returns the version of Cluster API to read. Rancher up to 2.13 serves v1beta1
// alone, later ones also serve v1beta2, and v1beta1 ends in 2027. The answer is not kept,
// because Rancher may be upgraded during a run.
func (c Clients) servedCAPI(ctx context.Context) (schema.GroupVersion, error) {
	newest := schema.GroupVersion{Group: groupCAPI, Version: "v1beta2"}
	served, err := c.serves(ctx, newest.WithResource("machines"))
	if served || err != nil {
		return newest, err
	}
	return schema.GroupVersion{Group: groupCAPI, Version: "v1beta1"}, nil
}

// serves reports whether the management cluster serves a resource. It reads discovery, for
// which every user has the right.
func (c Clients) serves(ctx context.Context, resource schema.GroupVersionResource) (bool, error) {
	client := discovery.ToDiscoveryInterfaceWithContext(c.ManagementKube.Discovery())
	list, err := client.ServerResourcesForGroupVersionWithContext(ctx, resource.GroupVersion().String())
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, migration.CouldNotRead("the resources of "+resource.GroupVersion().String(), err)
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Resource }), nil
}
