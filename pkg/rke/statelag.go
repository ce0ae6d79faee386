package rke

import "fmt"

// stateLags is what of the wanted provider, flag and version rke's state does not
// show; "": nothing. Where the system images are named, the version decides nothing.
func (f Facts) stateLags() string {
	current := f.State.Current.Config
	wanted, flag := f.resolvedName(), f.Config.Services.KubeController.ExtraArgs["enable-leader-migration"]
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

// resolvedName is the provider that rke makes of the file
// (rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider): custom text keeps
// the name, the in-tree block overrides it.
func (f Facts) resolvedName() string {
	if provider := f.Config.CloudProvider; provider.Custom != "" || provider.AWS == nil {
		return provider.Name
	}
	return "aws"
}
