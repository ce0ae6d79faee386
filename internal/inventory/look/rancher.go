package look

import (
	"context"
	"errors"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// listedCluster holds what the lists show of one cluster.
type listedCluster struct {
	inventory.Facts
	spec config.Spec // for RKE2
}

// list reads Rancher's own objects. Every cluster has a management.cattle.io Cluster. All but the
// newest also have a provisioning.cattle.io Cluster, which determines the namespace
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5).
func (m management) list(ctx context.Context, namespace string) ([]listedCluster, inventory.Fleet, error) {
	var fleet inventory.Fleet
	newer, err := rancher.ListClusters(ctx, m.dynamic, namespace)
	if err != nil {
		return nil, fleet, err
	}
	missed := func(err error) {
		if err != nil {
			fleet.Unread = append(fleet.Unread, inventory.StopsOf(err)...)
		}
	}
	older, olderErr := managed.List(ctx, m.dynamic)
	missed(olderErr)
	wanted, err := m.migrations(ctx, namespace)
	missed(err)
	version := m.clients().ReadVersion(ctx)
	fleet.Rancher = version.Value
	found := join(newer, older, olderErr, namespace)
	for i := range found {
		found[i].Migration = wanted[found[i].Namespace+"/"+found[i].Name]
		found[i].Now = m.Clock.Now()
	}
	return found, fleet, nil
}

// join combines both kinds of Clusters. Without the management ones it returns only clusters that
// Rancher provisions itself.
func join(newer []rancher.Listed, older []managed.Cluster, olderErr error, namespace string) []listedCluster {
	byID, taken := map[string]managed.Cluster{}, map[string]bool{}
	for _, c := range older {
		byID[c.ID] = c
	}
	var found []listedCluster
	for _, c := range newer {
		taken[c.ManagementID] = true
		var one listedCluster
		switch mirrored, known := byID[c.ManagementID]; {
		case known && (mirrored.Local() || !c.HasRKEConfig):
			one = mirrorCluster(mirrored, c.Namespace, c.Name)
		case c.HasRKEConfig:
			one = provisionedCluster(c)
		default:
			one = unknownCluster(c, olderErr)
		}
		one.Labels = c.Labels
		found = append(found, one)
	}
	for _, c := range older { // a provisioned Cluster here is in a namespace that was not listed
		if !taken[c.ID] && !c.Provisioned && (namespace == "" || c.Workspace == namespace) {
			found = append(found, mirrorCluster(c, c.Workspace, c.ID))
		}
	}
	return found
}

// provisionedCluster returns a cluster that Rancher provisions.
func provisionedCluster(c rancher.Listed) listedCluster {
	one := listedCluster{spec: c.Spec}
	one.Known = inventory.Known{Namespace: c.Namespace, Name: c.Name, DisplayName: c.Name, ID: c.ManagementID, Deleting: c.Deleting,
		Distribution: inventory.RKE2, Version: c.Spec.KubernetesVersion, Owners: c.Owners()}
	switch {
	case c.Err != nil:
		one.Errs = append(one.Errs, c.Err)
	case c.K3s():
		one.Distribution = inventory.K3s
	default:
		one.Providers = rancher.Facts{Cluster: c.Cluster}.ManagerProviders()
	}
	return one
}

// mirrorCluster returns a management Cluster, with namespace and name of its provisioning Cluster.
func mirrorCluster(c managed.Cluster, namespace, name string) listedCluster {
	one := listedCluster{}
	one.Known = inventory.Known{Namespace: namespace, Name: name, DisplayName: c.DisplayName, ID: c.ID, Deleting: c.Deleting,
		Distribution: distribution(c), Version: c.KubernetesVersion(), Owners: c.Owners()}
	if !c.ByRKE() {
		return one
	}
	provider, err := c.Provider()
	if err != nil {
		one.Errs = append(one.Errs, err)
	}
	if provider != "" {
		one.Providers = []string{provider}
	}
	return one
}

// unknownCluster returns a Cluster whose management object could not be read.
func unknownCluster(c rancher.Listed, err error) listedCluster {
	one := listedCluster{}
	one.Known = inventory.Known{Namespace: c.Namespace, Name: c.Name, ID: c.ManagementID, Deleting: c.Deleting, Distribution: inventory.NotKnown}
	if err != nil {
		one.Errs = append(one.Errs, err)
	}
	return one
}

// distribution returns the distribution of a management Cluster. The driver of a hosted cluster
// is named after its service
// (rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go@v2.8.5).
func distribution(c managed.Cluster) inventory.Distribution {
	switch {
	case c.Local():
		return inventory.Local
	case c.ByRKE():
		return inventory.RKE
	case c.Driver == "EKS", c.Driver == "AKS", c.Driver == "GKE":
		return inventory.Distribution(c.Driver)
	}
	return inventory.Imported
}

// Known returns what Rancher's own objects show of every cluster. It needs one or two requests
// for all clusters. A user who may not list management Clusters passes the IDs of RKE clusters,
// each of which is read alone; nil lists them. Objects that could not be read are omitted.
func (r Rancher) Known(ctx context.Context, rke []string) ([]inventory.Known, error) {
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	m, err := r.connect()
	if err != nil {
		return nil, err
	}
	newer, err := rancher.ListClusters(ctx, m.dynamic, r.Namespace)
	if err != nil {
		return nil, err
	}
	older, olderErr := m.managementClusters(ctx, rke)
	var known []inventory.Known
	for _, one := range join(newer, older, olderErr, r.Namespace) {
		known = append(known, one.Known)
	}
	return known, nil
}

// managementClusters returns the management Clusters: all of them, or those of the named ones that exist.
func (m management) managementClusters(ctx context.Context, named []string) ([]managed.Cluster, error) {
	if named == nil {
		return managed.List(ctx, m.dynamic)
	}
	var found []managed.Cluster
	var errs []error
	for _, id := range named {
		c, err := managed.Get(ctx, m.dynamic, id)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found = append(found, c)
	}
	return found, errors.Join(errs...)
}
