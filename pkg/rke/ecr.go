package rke

import (
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// kubeletFolders holds the folders that rke mounts into the kubelet's container
// (rancher/rke:cluster/plan.go@v1.5.9, BuildKubeletProcess).
var kubeletFolders = []string{ //nolint:gochecknoglobals // a constant table
	"/etc/kubernetes", "/etc/cni", "/opt/cni", "/var/lib/cni", "/var/lib/calico", "/var/lib/kubelet", "/var/lib/rancher", "/var/run", "/run", "/etc/ceph", "/host/usr", "/host/etc",
}

// credentialProvider returns the credential provider that cluster.yml gives to the kubelets. Both
// arguments belong together: a kubelet exits without the folder (kubernetes/kubernetes:
// pkg/credentialprovider/plugin/plugin.go@v1.26.13, RegisterCredentialProviderPlugins).
func credentialProvider(kubelet clusterfile.Service) *evidence.CredentialProvider {
	config, _ := kubelet.Flag(evidence.CredentialProviderConfig)
	folder, _ := kubelet.Flag(evidence.CredentialProviderBin)
	provider := &evidence.CredentialProvider{Config: config}
	switch {
	case config == "" && folder == "":
	case config == "" || folder == "":
		provider.Missing = "services.kubelet has only one of " + evidence.CredentialProviderConfig + " and " + evidence.CredentialProviderBin + ", with which a kubelet exits"
	default:
		for _, file := range []string{config, folder} {
			if !inContainer(kubelet, file) {
				provider.Unseen = "neither rke nor services.kubelet.extra_binds mounts " + file + " into the kubelet's container"
			}
		}
	}
	return provider
}

// inContainer reports whether a mount of the kubelet's container has the path.
func inContainer(kubelet clusterfile.Service, file string) bool {
	mounts := slices.Clone(kubeletFolders)
	for _, bind := range kubelet.ExtraBinds {
		if parts := strings.Split(bind, ":"); len(parts) > 1 {
			mounts = append(mounts, path.Clean(parts[1]))
		}
	}
	file = path.Clean(file)
	return slices.ContainsFunc(mounts, func(mount string) bool { return file == mount || strings.HasPrefix(file, mount+"/") })
}
