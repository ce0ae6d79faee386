package clusterfile

// Names of cloud providers that rke knows. Others it passes on as they are.
const (
	providerAWS         = "aws"
	providerExternal    = "external"
	providerExternalAWS = "external-aws"
)

// otherProviders holds the options of other providers: there they are, or not.
type otherProviders struct {
	Azure     map[string]any `yaml:"azureCloudProvider"`
	OpenStack map[string]any `yaml:"openstackCloudProvider"`
	VSphere   map[string]any `yaml:"vsphereCloudProvider"`
	Harvester map[string]any `yaml:"harvesterCloudProvider"`
}

// names returns the providers whose options are there, in the order in which rke
// looks for them.
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

// Resolved is the provider that rke makes of cloud_provider; "" for none. Options
// that are there count as much as the name: those of AWS make the name aws, those
// of a later provider keep a name that is given, and custom text keeps it whatever
// else is there (rancher/rke:cloudprovider/cloudprovider.go and Init of each
// provider, cluster/defaults.go@v1.5.9, setCloudProvider).
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

// last is the other provider whose options rke takes in the end; "" for none.
func (c CloudProvider) last() string {
	if n := len(c.Blocks); n > 0 {
		return c.Blocks[n-1]
	}
	return ""
}

// refusedWithoutBlock are providers that rke does not start without their options.
func refusedWithoutBlock(name string) bool {
	return name == "azure" || name == "openstack" || name == "vsphere"
}
