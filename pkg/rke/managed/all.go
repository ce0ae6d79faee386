package managed

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
)

// List reads Rancher's Clusters of the older kind. It has one for every cluster, whoever
// made it; their Nodes are left out.
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

// Get reads one of them by its ID.
func Get(ctx context.Context, management dynamic.Interface, id string) (Cluster, error) {
	object, err := management.Resource(clusters).Get(ctx, id, metav1.GetOptions{})
	if err != nil {
		return Cluster{}, migration.CouldNotRead("Cluster "+id, err)
	}
	return parseCluster(object), nil
}

// Local says whether it is the cluster that Rancher itself runs in.
func (c Cluster) Local() bool { return c.Internal || c.ID == "local" }

// ByRKE says whether it is a cluster that this package can migrate: Rancher runs rke for it.
func (c Cluster) ByRKE() bool { return supported(c) == nil }

// KubernetesVersion is the one that is configured, else what its API server says.
func (c Cluster) KubernetesVersion() string {
	configured, _ := c.Config["kubernetesVersion"].(string)
	return migration.OrElse(configured, c.Version)
}

// Provider is the cloud provider that rke makes of the configuration; "": none.
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

// Owners are those who would put the old configuration back.
func (c Cluster) Owners() []migration.Owner {
	if c.Template == "" {
		return nil
	}
	return []migration.Owner{{Name: "RKE template", Mark: "revision " + c.Template}}
}
