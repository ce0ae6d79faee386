package aws

import "strings"

type describeVpcsReply struct {
	reply
	Vpcs      []vpcItem `xml:"vpcSet>item"`
	NextToken string    `xml:"nextToken,omitempty"`
}

type vpcItem struct {
	ID    string    `xml:"vpcId"`
	Owner string    `xml:"ownerId"`
	State string    `xml:"state"`
	CIDR  string    `xml:"cidrBlock"`
	Tags  []tagItem `xml:"tagSet>item"`
}

func describeVpcs(c *Cloud, q *call) (any, error) {
	vpcs := newStore[*vpc]()
	vpcs.put(c.vpc.ID, &c.vpc)
	d := describe[*vpc]{
		ids:     "VpcId",
		absent:  func(id string) error { return fail("InvalidVpcID.NotFound", "The vpc ID '%s' does not exist", id) },
		maximum: 1000,
		attr: func(id string, v *vpc, name string) ([]string, bool) {
			return []string{id}, name == "vpc-id"
		},
	}
	found, next, err := d.run(c, q, vpcs)
	if err != nil {
		return nil, err
	}
	out := &describeVpcsReply{NextToken: next}
	for _, v := range found {
		out.Vpcs = append(out.Vpcs, vpcItem{
			ID: v.ID, Owner: c.account, State: "available", CIDR: v.CIDR, Tags: c.tags.items(v.ID),
		})
	}
	return out, nil
}

type describeSubnetsReply struct {
	reply
	Subnets   []subnetItem `xml:"subnetSet>item"`
	NextToken string       `xml:"nextToken,omitempty"`
}

type subnetItem struct {
	ID     string    `xml:"subnetId"`
	ARN    string    `xml:"subnetArn"`
	Owner  string    `xml:"ownerId"`
	State  string    `xml:"state"`
	Vpc    string    `xml:"vpcId"`
	CIDR   string    `xml:"cidrBlock"`
	Free   int       `xml:"availableIpAddressCount"`
	Zone   string    `xml:"availabilityZone"`
	ZoneID string    `xml:"availabilityZoneId"`
	Public bool      `xml:"mapPublicIpOnLaunch"`
	Tags   []tagItem `xml:"tagSet>item"`
}

func noSubnet(id string) error {
	return fail("InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist", id)
}

func describeSubnets(c *Cloud, q *call) (any, error) {
	d := describe[*subnet]{ids: "SubnetId", absent: noSubnet, attr: c.subnetAttr, maximum: 1000}
	found, next, err := d.run(c, q, c.subnets)
	if err != nil {
		return nil, err
	}
	out := &describeSubnetsReply{NextToken: next}
	for _, s := range found {
		out.Subnets = append(out.Subnets, subnetItem{
			ID: s.ID, ARN: "arn:aws:ec2:" + c.region + ":" + c.account + ":subnet/" + s.ID, Owner: c.account,
			State: "available", Vpc: c.vpc.ID, CIDR: s.CIDR, Free: 4091, Zone: s.Zone, ZoneID: c.zoneID(s.Zone),
			Public: true, Tags: c.tags.items(s.ID),
		})
	}
	return out, nil
}

func (c *Cloud) subnetAttr(id string, s *subnet, name string) ([]string, bool) {
	if s == nil {
		s = &subnet{}
	}
	switch name {
	case "subnet-id":
		return []string{id}, true
	case "vpc-id":
		return []string{c.vpc.ID}, true
	case "availability-zone", "availabilityZone":
		return []string{s.Zone}, true
	case "availability-zone-id":
		return []string{c.zoneID(s.Zone)}, true
	case "state":
		return []string{"available"}, true
	case "cidr-block":
		return []string{s.CIDR}, true
	default:
		return nil, false
	}
}

// zoneID returns the name of a zone that is the same in every account, e.g. use1-az1.
func (c *Cloud) zoneID(zone string) string {
	parts := strings.Split(c.region, "-")
	short := parts[0]
	for _, part := range parts[1:] {
		short += part[:1]
	}
	for n, z := range c.zones {
		if z == zone {
			return short + "-az" + itoa(n+1)
		}
	}
	return ""
}
