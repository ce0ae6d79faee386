package aws

type describeInterfacesReply struct {
	reply
	Interfaces []interfaceItem `xml:"networkInterfaceSet>item"`
	NextToken  string          `xml:"nextToken,omitempty"`
}

type interfaceItem struct {
	ID              string         `xml:"networkInterfaceId"`
	Subnet          string         `xml:"subnetId"`
	Vpc             string         `xml:"vpcId"`
	Zone            string         `xml:"availabilityZone"`
	Owner           string         `xml:"ownerId"`
	Status          string         `xml:"status"`
	MAC             string         `xml:"macAddress"`
	PrivateIP       string         `xml:"privateIpAddress"`
	PrivateDNSName  string         `xml:"privateDnsName"`
	SourceDestCheck bool           `xml:"sourceDestCheck"`
	Groups          []groupItem    `xml:"groupSet>item"`
	Attachment      attachmentItem `xml:"attachment"`
	Addresses       []addressItem  `xml:"privateIpAddressesSet>item"`
}

type attachmentItem struct {
	ID          string `xml:"attachmentId"`
	Instance    string `xml:"instanceId"`
	DeviceIndex int    `xml:"deviceIndex"`
	Status      string `xml:"status"`
}

type addressItem struct {
	PrivateIP      string `xml:"privateIpAddress"`
	PrivateDNSName string `xml:"privateDnsName"`
	Primary        bool   `xml:"primary"`
}

func (c *Cloud) interfaceItem(i *Instance) interfaceItem {
	return interfaceItem{
		ID: i.InterfaceID, Subnet: i.SubnetID, Vpc: i.VpcID, Zone: i.Zone, Owner: c.account, Status: "in-use", MAC: i.MAC,
		PrivateIP: i.PrivateIP, PrivateDNSName: i.PrivateDNSName, SourceDestCheck: i.SourceDestCheck, Groups: c.groupItems(i),
		Attachment: attachmentItem{ID: "eni-attach-" + i.InterfaceID[len("eni-"):], Instance: i.ID, Status: "attached"},
		Addresses:  []addressItem{{PrivateIP: i.PrivateIP, PrivateDNSName: i.PrivateDNSName, Primary: true}},
	}
}

// describeNetworkInterfaces only has the interfaces of instances. The CCM asks for Fargate's,
// of which the lab has none.
func describeNetworkInterfaces(c *Cloud, q *call) (any, error) {
	interfaces := newStore[*Instance]()
	for _, i := range c.instances.all() {
		if i.State != StateTerminated {
			interfaces.put(i.InterfaceID, i)
		}
	}
	d := describe[*Instance]{
		ids: "NetworkInterfaceId",
		absent: func(id string) error {
			return fail("InvalidNetworkInterfaceID.NotFound", "The networkInterface ID '%s' does not exist", id)
		},
		attr:    c.interfaceAttr,
		maximum: 1000,
		capped:  true,
	}
	found, next, err := d.run(c, q, interfaces)
	if err != nil {
		return nil, err
	}
	out := &describeInterfacesReply{NextToken: next}
	for _, i := range found {
		out.Interfaces = append(out.Interfaces, c.interfaceItem(i))
	}
	return out, nil
}

func (c *Cloud) interfaceAttr(id string, i *Instance, name string) ([]string, bool) {
	if i == nil {
		i = &Instance{}
	}
	switch name {
	case "network-interface-id":
		return []string{id}, true
	case "attachment.instance-id":
		return []string{i.ID}, true
	case "private-dns-name":
		return []string{i.PrivateDNSName}, true
	case "private-ip-address", "addresses.private-ip-address":
		return []string{i.PrivateIP}, true
	case "mac-address":
		return []string{i.MAC}, true
	case "vpc-id", "subnet-id", "group-id", "availability-zone":
		return c.instanceAttr(id, i, name)
	default:
		return nil, false
	}
}
