package node

import (
	"errors"
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// ownProviderArguments returns the arguments that RKE2 puts before all arguments of the user. For
// releases from v1.33 on it would have to leave out kube-apiserver's; the lab has none of them.
func ownProviderArguments(c RKE2Config, version string) []string {
	name := c.String("cloud-provider-name")
	if name == "" || name == inTreeProvider && dropsInTree(version) {
		return nil
	}
	return []string{"--cloud-provider=" + name, "--cloud-config=" + c.String("cloud-provider-config")}
}

// inTreeProvider is the name of the in-tree AWS provider.
const inTreeProvider = "aws"

// dropsInTree reports whether a release of RKE2 keeps the provider name aws from its components,
// and takes it as a request for the metadata service's name, over node-name: v1.29.11, v1.30.7,
// v1.31.3 and every later minor version (rancher/rke2:pkg/rke2/rke2_linux.go, all tags).
func dropsInTree(version string) bool {
	v, err := semver.NewVersion(version)
	if err != nil {
		return false
	}
	first, of := map[uint64]uint64{29: 11, 30: 7, 31: 3}[v.Minor()]
	return v.Minor() > 31 || of && v.Patch() >= first
}

// refusedProvider returns the error with which a component of a version exits at its in-tree
// provider, or nil: kube-controller-manager and the kubelet from 1.27 on
// (kubernetes/kubernetes:CHANGELOG/CHANGELOG-1.27.md: the provider is removed), kube-apiserver from
// 1.29 on (kubernetes/kubernetes:pkg/kubeapiserver/options/cloudprovider.go@v1.29.10).
func refusedProvider(component, version string, args []string) error {
	v, err := semver.NewVersion(version)
	if err != nil {
		return fmt.Errorf("version %q: %w", version, err)
	}
	first := uint64(27)
	if component == KubeAPIServer {
		first = 29
	}
	if provider, _ := lastFlag(args, "cloud-provider"); provider == inTreeProvider && v.Minor() >= first {
		return errors.New(`unknown cloud provider "aws"`)
	}
	return nil
}
