package rancher

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Reverted are the control planes that Rancher is to run in-tree without the flag beside a
// cloud controller manager. Whoever keeps the Cluster puts its old configuration back
// whole, and that never had the flag.
func (f Facts) Reverted(down downstream.Cluster) []string {
	if down.CCM == nil && len(down.CCMPods) == 0 {
		return nil
	}
	var machines []string
	for _, m := range f.ControlPlanes() {
		c := config.Effective(f.Cluster.Spec, m.Machine)
		if config.ManagerProvider(c) == config.ProviderAWS && !config.LeaderMigrationOn(c) {
			machines = append(machines, m.Name)
		}
	}
	return machines
}
