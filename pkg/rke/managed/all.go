package managed

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
)

// List returns Rancher's management.cattle.io Clusters, without their Nodes. Rancher has one
// for every cluster of any kind.
func List(ctx context.Context, management dynamic.Interface) ([]Cluster, error) {
	list, err := management.Resource(clusters).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, notRancher("Clusters of management.cattle.io", err)
	}
	if err != nil {
		return nil, migration.CouldNotRead("Clusters of management.cattle.io", err)
	}
	all := make([]Cluster, 0, len(list.Items))
	for i := range list.Items {
		all = append(all, parseCluster(&list.Items[i]))
	}
	return all, nil
}

// Get returns the Cluster with an ID.
func Get(ctx context.Context, management dynamic.Interface, id string) (Cluster, error) {
	object, err := management.Resource(clusters).Get(ctx, id, metav1.GetOptions{})
	if err != nil {
		return Cluster{}, migration.CouldNotRead("Cluster "+id, err)
	}
	return parseCluster(object), nil
}

// Local reports whether Rancher itself runs in the cluster.
func (c Cluster) Local() bool { return c.Internal || c.ID == "local" }

// ByRKE reports whether Rancher runs rke for the cluster, so that this package can migrate it.
func (c Cluster) ByRKE() bool { return checkSupported(c) == nil }

// KubernetesVersion returns the configured version, or else the version of the API server.
func (c Cluster) KubernetesVersion() string {
	configured, _ := c.Config["kubernetesVersion"].(string)
	return migration.OrElse(configured, c.Version)
}

// Provider returns the cloud provider that rke derives from the configuration, or empty.
func (c Cluster) Provider() (string, error) {
	if len(configtree.Map(c.Config["cloudProvider"])) == 0 {
		return "", nil
	}
	file, err := fileOf(c)
	if err != nil {
		return "", err
	}
	return file.Config().CloudProvider.Resolved(), nil
}

// Owners returns the owners that would revert an edit.
func (c Cluster) Owners() []migration.Owner {
	if c.Template == "" {
		return nil
	}
	return []migration.Owner{{Name: "RKE template", Mark: "revision " + c.Template}}
}
