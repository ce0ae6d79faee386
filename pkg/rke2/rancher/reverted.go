package rancher

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Reverted are the control planes that Rancher is to run in-tree without the flag beside a
// cloud controller manager. Whoever keeps the Cluster puts its old configuration back
// whole, and that never had the flag.
func (f Facts) Reverted(down downstream.Cluster) []string {
	if down.CCM == nil && len(down.CCMPods) == 0 {
		return nil
	}
	return f.controlPlanesWith(func(m component.Mode) bool { return m == component.InTree })
}

// Unmanaged are the control planes that Rancher is to run external where there is no cloud
// controller manager.
func (f Facts) Unmanaged(down downstream.Cluster) []string {
	if down.CCM != nil || len(down.CCMPods) > 0 {
		return nil
	}
	return f.controlPlanesWith(component.Mode.IsExternal)
}

// controlPlanesWith are those whose configuration, as it stands, is such.
func (f Facts) controlPlanesWith(such func(component.Mode) bool) []string {
	var machines []string
	for _, m := range f.ControlPlanes() {
		if such(config.ManagerMode(config.Effective(f.Cluster.Spec, m.Machine))) {
			machines = append(machines, m.Name)
		}
	}
	return machines
}
