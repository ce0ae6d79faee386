package aws

import (
	"regexp"
	"strings"
	"time"
)

type describeInstancesReply struct {
	reply
	Reservations []reservation `xml:"reservationSet>item"`
	NextToken    string        `xml:"nextToken,omitempty"`
}

type reservation struct {
	ID        string         `xml:"reservationId"`
	Owner     string         `xml:"ownerId"`
	Instances []instanceItem `xml:"instancesSet>item"`
}

type instanceItem struct {
	ID              string          `xml:"instanceId"`
	Image           string          `xml:"imageId"`
	State           stateItem       `xml:"instanceState"`
	PrivateDNSName  string          `xml:"privateDnsName"`
	DNSName         string          `xml:"dnsName"`
	Type            string          `xml:"instanceType"`
	LaunchTime      string          `xml:"launchTime"`
	Zone            string          `xml:"placement>availabilityZone"`
	Tenancy         string          `xml:"placement>tenancy"`
	Subnet          string          `xml:"subnetId,omitempty"`
	Vpc             string          `xml:"vpcId,omitempty"`
	PrivateIP       string          `xml:"privateIpAddress,omitempty"`
	SourceDestCheck bool            `xml:"sourceDestCheck"`
	Groups          []groupItem     `xml:"groupSet>item"`
	Architecture    string          `xml:"architecture"`
	RootDeviceType  string          `xml:"rootDeviceType"`
	RootDeviceName  string          `xml:"rootDeviceName"`
	Profile         *profileItem    `xml:"iamInstanceProfile"`
	Tags            []tagItem       `xml:"tagSet>item"`
	Interfaces      []interfaceItem `xml:"networkInterfaceSet>item"`
	Metadata        metadataItem    `xml:"metadataOptions"`
}

type stateItem struct {
	Code int    `xml:"code"`
	Name string `xml:"name"`
}

type groupItem struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
}

type profileItem struct {
	ARN string `xml:"arn"`
	ID  string `xml:"id"`
}

type metadataItem struct {
	State    string `xml:"state"`
	Tokens   string `xml:"httpTokens"`
	HopLimit int    `xml:"httpPutResponseHopLimit"`
	Endpoint string `xml:"httpEndpoint"`
	IPv6     string `xml:"httpProtocolIpv6"`
	Tags     string `xml:"instanceMetadataTags"`
}

func instanceID(id string) error {
	if !regexp.MustCompile(`^i-[0-9a-f]{8}([0-9a-f]{9})?$`).MatchString(id) {
		return fail("InvalidInstanceID.Malformed", "Invalid id: %q", id)
	}
	return fail("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist", id)
}

func describeInstances(c *Cloud, q *call) (any, error) {
	asked, err := q.number("MaxResults")
	if err != nil {
		return nil, err
	}
	if q.has("MaxResults") && (asked < 5 || asked > 1000) {
		return nil, invalidValue("Value ( %d ) for parameter maxResults is invalid. Expecting a value between 5 and 1000.", asked)
	}
	if err := c.allInstances(q.list("InstanceId")); err != nil {
		return nil, err
	}
	d := describe[*Instance]{ids: "InstanceId", absent: instanceID, attr: c.instanceAttr, maximum: 1000, capped: true}
	found, next, err := d.run(c, q, c.instances)
	if err != nil {
		return nil, err
	}
	out := &describeInstancesReply{NextToken: next}
	for _, i := range found {
		out.Reservations = append(out.Reservations, reservation{
			ID:        strings.Replace(i.ID, "i-", "r-", 1),
			Owner:     c.account,
			Instances: []instanceItem{c.instanceItem(i)},
		})
	}
	return out, nil
}

// allInstances names every absent ID in one error, as EC2 does: a call for many IDs fails as a
// whole if one of them is gone.
func (c *Cloud) allInstances(ids []string) error {
	var gone []string
	for _, id := range ids {
		if c.instances.has(id) {
			continue
		}
		if err := instanceID(id); strings.HasPrefix(err.Error(), "InvalidInstanceID.Malformed") {
			return err
		}
		gone = append(gone, id)
	}
	switch len(gone) {
	case 0:
		return nil
	case 1:
		return instanceID(gone[0])
	default:
		return fail("InvalidInstanceID.NotFound", "The instance IDs '%s' do not exist", strings.Join(gone, ", "))
	}
}

func (c *Cloud) instanceItem(i *Instance) instanceItem {
	code, _ := stateCode(i.State)
	out := instanceItem{
		ID: i.ID, Image: "ami-0123456789abcdef0", State: stateItem{Code: code, Name: i.State},
		Type: i.Type, LaunchTime: i.LaunchTime.Format(time.RFC3339), Zone: i.Zone, Tenancy: "default",
		Architecture: "x86_64", RootDeviceType: "ebs", RootDeviceName: "/dev/sda1", Tags: c.tags.items(i.ID),
		Metadata: metadataOptions(i, "applied"),
	}
	if i.Role != "" {
		out.Profile = &profileItem{ARN: c.profileARN(i.Role), ID: c.profileID(i.Role)}
	}
	if i.State == StateTerminated {
		return out
	}
	out.PrivateDNSName, out.PrivateIP = i.PrivateDNSName, i.PrivateIP
	out.Subnet, out.Vpc, out.SourceDestCheck = i.SubnetID, i.VpcID, i.SourceDestCheck
	out.Groups = c.groupItems(i)
	out.Interfaces = []interfaceItem{c.interfaceItem(i)}
	return out
}

func (c *Cloud) groupItems(i *Instance) []groupItem {
	var out []groupItem
	for _, id := range i.SecurityGroups {
		if g, ok := c.groups.get(id); ok {
			out = append(out, groupItem{ID: g.ID, Name: g.Name})
		}
	}
	return out
}

// instanceAttr returns the values for a filter of DescribeInstances. i is nil to ask only
// whether the filter exists.
func (c *Cloud) instanceAttr(_ string, i *Instance, name string) ([]string, bool) {
	if i == nil {
		i = &Instance{}
	}
	gone := i.State == StateTerminated
	living := func(values ...string) ([]string, bool) {
		if gone {
			return nil, true
		}
		return values, true
	}
	switch name {
	case "instance-id":
		return []string{i.ID}, true
	case "instance-state-name":
		return []string{i.State}, true
	case "instance-type":
		return []string{i.Type}, true
	case "availability-zone":
		return []string{i.Zone}, true
	case "iam-instance-profile.arn":
		return []string{c.profileARN(i.Role)}, true
	case "metadata-options.http-tokens":
		return []string{i.HTTPTokens}, true
	case "private-dns-name", "network-interface.private-dns-name":
		return living(i.PrivateDNSName)
	case "private-ip-address", "network-interface.addresses.private-ip-address":
		return living(i.PrivateIP)
	case "vpc-id", "network-interface.vpc-id":
		return living(i.VpcID)
	case "subnet-id", "network-interface.subnet-id":
		return living(i.SubnetID)
	case "instance.group-id", "group-id", "network-interface.group-id":
		return living(i.SecurityGroups...)
	default:
		return nil, false
	}
}
