package rancher

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// Listed is one of Rancher's Cluster objects in a list. Err is why its configuration
// cannot be read; its names are known all the same.
type Listed struct {
	Cluster
	Err error
}

// ListClusters reads Rancher's Cluster objects of a namespace, "" for all of them, those
// among them that Rancher only knows. Where there are none to be served it is a usage
// error.
func ListClusters(ctx context.Context, management dynamic.Interface, namespace string) ([]Listed, error) {
	list, err := management.Resource(clustersGVR).Namespace(namespace).List(ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, notRancher("Clusters", err)
	case err != nil:
		return nil, migration.CouldNotRead("Clusters of provisioning.cattle.io", err)
	}
	all := make([]Listed, 0, len(list.Items))
	for i := range list.Items {
		cluster, err := parseCluster(&list.Items[i])
		all = append(all, Listed{Cluster: cluster, Err: err})
	}
	return all, nil
}

// notRancher says that an API server serves no Clusters at all.
func notRancher(object string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: migration.ReasonNotRancher, Object: object,
		Seen: "this API server does not serve clusters.provisioning.cattle.io",
		Fix:  "point --kubeconfig at the cluster Rancher runs in", Err: err}
}

// ManagerProviders are the cloud providers that the configuration gives the
// kube-controller-managers, each once and in the order of the machines; none where it
// names none. Without a control plane it is what any machine gets.
func (f Facts) ManagerProviders() []string {
	var found []string
	seen := map[string]bool{"": true}
	add := func(m config.Machine) {
		if provider := config.ManagerProvider(config.Effective(f.Cluster.Spec, m)); !seen[provider] {
			seen[provider] = true
			found = append(found, provider)
		}
	}
	planes := 0
	for _, m := range f.EditMachines() {
		if m.ControlPlane() {
			planes++
			add(m)
		}
	}
	if planes == 0 {
		add(config.Machine{})
	}
	return found
}
