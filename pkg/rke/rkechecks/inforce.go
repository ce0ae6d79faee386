package rkechecks

import "github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"

// inForce holds the version and provider that a cluster runs by rke's state. Offline, it holds
// those that `rke up` would derive from cluster.yml.
type inForce struct {
	version, provider         string
	versionObject, nameObject string
	providerSeen              string
}

func (p Prepared) inForce() inForce {
	if !p.Offline {
		c := p.State.Current.Config
		return inForce{version: c.KubernetesVersion, provider: c.CloudProvider.Name, versionObject: p.State.Source,
			nameObject: p.State.Source, providerSeen: "currentState: cloud provider \"" + c.CloudProvider.Name + "\""}
	}
	now := inForce{version: p.Config.KubernetesVersion, provider: p.Config.CloudProvider.Resolved(),
		versionObject: p.where("kubernetes_version"), nameObject: p.where("cloud_provider", "name")}
	now.providerSeen = p.providerSeen(p.Config.CloudProvider, now.provider)
	return now
}

// providerSeen describes cloud_provider, even if it is missing.
func (p Prepared) providerSeen(c clusterfile.CloudProvider, resolved string) string {
	switch {
	case p.File.Line("cloud_provider") == 0:
		return "no cloud_provider"
	case resolved == "":
		return "cloud_provider without a name"
	case resolved != c.Name:
		return "rke takes provider \"" + resolved + "\", for the options that are there"
	}
	return "cloud provider \"" + c.Name + "\""
}
