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

// Listed holds one Cluster object of a list. Err is set if its configuration cannot be
// read; its names are valid nevertheless.
type Listed struct {
	Cluster
	Err error
}

// ListClusters returns Rancher's Cluster objects of a namespace, or of all namespaces if it
// is empty. The list includes imported clusters. An API server that does not serve Clusters
// results in an error of class Usage.
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

// notRancher returns the error for an API server that does not serve Clusters.
func notRancher(object string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: migration.ReasonNotRancher, Object: object,
		Seen: "this API server does not serve clusters.provisioning.cattle.io",
		Fix:  "point --kubeconfig at the cluster Rancher runs in", Err: err}
}

// ManagerProviders returns the cloud providers that the configuration sets for the
// kube-controller-managers, without duplicates and in the order of the machines. If no
// control plane is known, it returns the provider that applies to all machines.
func (f Facts) ManagerProviders() []string {
	var found []string
	known := map[string]bool{"": true}
	add := func(m config.Machine) {
		if provider := config.ManagerProvider(config.Effective(f.Cluster.Spec, m)); !known[provider] {
			known[provider] = true
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
