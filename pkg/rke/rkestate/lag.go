package rkestate

import "fmt"

// Lag describes which of the wanted provider, flag and version rke's state does not show yet, or
// is empty. If the file names the system images, the version has no effect.
func (f Facts) Lag() string {
	current := f.State.Current.Config
	wanted, flag := f.Config.CloudProvider.Resolved(), f.Config.Services.KubeController.ExtraArgs["enable-leader-migration"]
	have, on := current.CloudProvider.Name, current.Services.KubeController.ExtraArgs["enable-leader-migration"]
	switch {
	case wanted != have:
		return fmt.Sprintf("the configuration says provider %q, rke's state %q", wanted, have)
	case flag != on:
		return fmt.Sprintf("the configuration says enable-leader-migration %q, rke's state %q", flag, on)
	case f.Config.KubernetesVersion != "" && f.Config.SystemImagesKubernetes == "" && f.Config.KubernetesVersion != current.KubernetesVersion:
		return fmt.Sprintf("the configuration says Kubernetes %s, rke's state %s", f.Config.KubernetesVersion, current.KubernetesVersion)
	}
	return ""
}
