package rancher

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Reverted returns the control planes that the configuration makes in-tree without the flag
// while the cluster has a cloud controller manager. An owner that reverts the Cluster
// restores its original configuration, which never had the flag.
func (f Facts) Reverted(down downstream.Cluster) []string {
	if down.CCM == nil && len(down.CCMPods) == 0 {
		return nil
	}
	return f.controlPlanesWith(func(m component.Mode) bool { return m == component.InTree })
}

// Unmanaged returns the control planes that the configuration makes external while the
// cluster has no cloud controller manager.
func (f Facts) Unmanaged(down downstream.Cluster) []string {
	if down.CCM != nil || len(down.CCMPods) > 0 {
		return nil
	}
	return f.controlPlanesWith(component.Mode.IsExternal)
}

// controlPlanesWith returns the names of the control planes whose configured mode matches.
func (f Facts) controlPlanesWith(matches func(component.Mode) bool) []string {
	var machines []string
	for _, m := range f.ControlPlanes() {
		if matches(config.ManagerMode(config.Effective(f.Cluster.Spec, m.Machine))) {
			machines = append(machines, m.Name)
		}
	}
	return machines
}
