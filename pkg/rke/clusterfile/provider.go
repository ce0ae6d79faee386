package clusterfile

// Names of cloud providers that rke knows. It passes others on unchanged.
const (
	providerAWS         = "aws"
	providerExternal    = "external"
	providerExternalAWS = "external-aws"
)

// otherProviders records which other providers have options.
type otherProviders struct {
	Azure     map[string]any `yaml:"azureCloudProvider"`
	OpenStack map[string]any `yaml:"openstackCloudProvider"`
	VSphere   map[string]any `yaml:"vsphereCloudProvider"`
	Harvester map[string]any `yaml:"harvesterCloudProvider"`
}

// names returns the providers that have options, in rke's order.
func (c otherProviders) names() []string {
	var out []string
	for _, one := range []struct {
		name string
		is   bool
	}{{"azure", c.Azure != nil}, {"openstack", c.OpenStack != nil}, {"vsphere", c.VSphere != nil}, {"harvester", c.Harvester != nil}} {
		if one.is {
			out = append(out, one.name)
		}
	}
	return out
}

// Resolved returns the provider that rke derives from cloud_provider, or is empty. Options count
// as much as the name. Those of AWS set the name to aws, those of a later provider keep a given
// name, and custom text always keeps it (rancher/rke:cloudprovider/cloudprovider.go and Init of
// each provider, cluster/defaults.go@v1.5.9, setCloudProvider).
func (c CloudProvider) Resolved() string {
	switch last := c.last(); {
	case c.Custom != "":
		return c.Name
	case last == "harvester" || c.Name == "harvester":
		return providerExternal
	case last != "" && c.Name == "":
		return last
	case last == "" && c.AWS != nil && !refusedWithoutBlock(c.Name):
		return providerAWS
	}
	return c.Name
}

// last returns the other provider whose options rke uses in the end, or is empty.
func (c CloudProvider) last() string {
	if n := len(c.Blocks); n > 0 {
		return c.Blocks[n-1]
	}
	return ""
}

// refusedWithoutBlock reports whether rke requires options for a provider.
func refusedWithoutBlock(name string) bool {
	return name == "azure" || name == "openstack" || name == "vsphere"
}
