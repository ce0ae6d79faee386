package aws

import (
	"fmt"
	"net/netip"
)

type vpc struct {
	ID   string
	CIDR string
}

type subnet struct {
	ID   string
	Zone string
	CIDR string
	free netip.Addr // the first candidate for a free address
}

type route struct {
	CIDR     string
	Gateway  string // "local" or an internet gateway
	Instance string
}

type routeTable struct {
	ID     string
	Routes []route
}

// seedNetwork creates the network of the guides: subnets shared with the cluster and marked for
// public load balancers, and one tagged node security group. The route table has no cluster
// tag, so the route controller does not find it until a user tags it.
func (c *Cloud) seedNetwork() {
	c.vpc = vpc{ID: c.newID("vpc"), CIDR: "10.0.0.0/16"}
	c.tags.add(c.vpc.ID, map[string]string{"Name": c.clusterID})
	for i, zone := range c.zones {
		s := &subnet{ID: c.newID("subnet"), Zone: zone, CIDR: fmt.Sprintf("10.0.%d.0/20", 16*i)}
		c.subnets.put(s.ID, s)
		c.tags.add(s.ID, map[string]string{
			"Name":                   c.clusterID + "-public-" + zone,
			clusterTag(c.clusterID):  "shared",
			"kubernetes.io/role/elb": "1",
		})
	}
	table := &routeTable{ID: c.newID("rtb"), Routes: []route{
		{CIDR: c.vpc.CIDR, Gateway: "local"},
		{CIDR: "0.0.0.0/0", Gateway: c.newID("igw")},
	}}
	c.routeTables.put(table.ID, table)
	c.tags.add(table.ID, map[string]string{"Name": c.clusterID})

	group := c.addGroup("default", "default VPC security group")
	group.Ingress = []rule{{Protocol: "-1", Group: group.ID}}
	nodes := c.addGroup("rancher-nodes", "cluster nodes")
	nodes.Ingress = []rule{{Protocol: "-1", Group: nodes.ID}}
	c.tags.add(nodes.ID, map[string]string{clusterTag(c.clusterID): "owned"})
	c.nodeGroupID = nodes.ID
}

func clusterTag(id string) string { return "kubernetes.io/cluster/" + id }

func (c *Cloud) subnetIn(zone string) (*subnet, bool) {
	for _, s := range c.subnets.all() {
		if s.Zone == zone {
			return s, true
		}
	}
	return nil, false
}
