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

// listed is one cluster as the lists have it.
type listed struct {
	inventory.Facts
	spec config.Spec // of RKE2
}

// list reads Rancher's own objects. Every cluster is a Cluster of the older kind; all but
// those that were made this moment have one of the newer, which gives them their namespace
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5).
func (m management) list(ctx context.Context, namespace string) ([]listed, inventory.Fleet, error) {
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

// join puts both kinds of Clusters together. Without the older ones, only those that
// Rancher provisions itself are known.
func join(newer []rancher.Listed, older []managed.Cluster, olderErr error, namespace string) []listed {
	byID, taken := map[string]managed.Cluster{}, map[string]bool{}
	for _, c := range older {
		byID[c.ID] = c
	}
	var found []listed
	for _, c := range newer {
		taken[c.ManagementID] = true
		mirrored, known := byID[c.ManagementID]
		switch {
		case known && (mirrored.Local() || !c.HasRKEConfig):
			found = append(found, mirror(mirrored, c.Namespace, c.Name))
		case c.HasRKEConfig:
			found = append(found, provisioned(c))
		default:
			found = append(found, unknown(c, olderErr))
		}
	}
	for _, c := range older { // c.Provisioned is in a namespace that is not listed
		if !taken[c.ID] && !c.Provisioned && (namespace == "" || c.Workspace == namespace) {
			found = append(found, mirror(c, c.Workspace, c.ID))
		}
	}
	return found
}

// provisioned is a cluster that Rancher provisions.
func provisioned(c rancher.Listed) listed {
	one := listed{spec: c.Spec}
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

// mirror is a cluster of the older kind, in the namespace and by the name that the newer
// part of Rancher has it.
func mirror(c managed.Cluster, namespace, name string) listed {
	one := listed{}
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

// unknown is a mirror of what could not be read.
func unknown(c rancher.Listed, err error) listed {
	one := listed{}
	one.Known = inventory.Known{Namespace: c.Namespace, Name: c.Name, ID: c.ManagementID, Deleting: c.Deleting, Distribution: inventory.NotKnown}
	if err != nil {
		one.Errs = append(one.Errs, err)
	}
	return one
}

// Drivers of hosted clusters have the name of the service
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

// Known is what Rancher's own objects say of every cluster, by a request or two for all of
// them, or by one for each of the IDs that rke names, for whoever may not list those of the
// older kind; nil: they are listed. What could not be read of them is left out.
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
	older, olderErr := m.older(ctx, rke)
	var known []inventory.Known
	for _, one := range join(newer, older, olderErr, r.Namespace) {
		known = append(known, one.Known)
	}
	return known, nil
}

// older are the Clusters of the older kind: all of them, or those that are named and there.
func (m management) older(ctx context.Context, named []string) ([]managed.Cluster, error) {
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
