package aws

import (
	"slices"
	"time"
)

type networkResult struct {
	Balancers  []networkItem `xml:"LoadBalancers>member"`
	NextMarker string        `xml:",omitempty"`
}

type networkItem struct {
	ARN            string `xml:"LoadBalancerArn"`
	DNSName        string
	HostedZoneID   string `xml:"CanonicalHostedZoneId"`
	Created        string `xml:"CreatedTime"`
	Name           string `xml:"LoadBalancerName"`
	Scheme         string
	Vpc            string `xml:"VpcId"`
	State          string `xml:"State>Code"`
	Type           string
	Zones          []networkZone `xml:"AvailabilityZones>member"`
	SecurityGroups []string      `xml:"SecurityGroups>member"`
	IPAddressType  string        `xml:"IpAddressType"`
}

type networkZone struct {
	Zone   string `xml:"ZoneName"`
	Subnet string `xml:"SubnetId"`
}

func (c *Cloud) networkItem(lb *networkBalancer) networkItem {
	item := networkItem{
		ARN: lb.ARN, DNSName: lb.DNSName, HostedZoneID: "Z26RNL4JYFTOTI", Created: lb.Created.Format(time.RFC3339),
		Name: lb.Name, Scheme: lb.Scheme, Vpc: c.vpc.ID, State: "active", Type: "network",
		SecurityGroups: lb.SecurityGroups, IPAddressType: "ipv4",
	}
	for _, id := range lb.Subnets {
		if s, ok := c.subnets.get(id); ok {
			item.Zones = append(item.Zones, networkZone{Zone: s.Zone, Subnet: id})
		}
	}
	return item
}

func describeNetwork(c *Cloud, q *call) (any, error) {
	names, arns := q.list("Names"), q.list("LoadBalancerArns")
	if err := c.allNetwork(names, arns); err != nil {
		return nil, err
	}
	p, err := markerPager(q)
	if err != nil {
		return nil, err
	}
	found, next := page(c.balancers, q.action, p, func(arn string, lb *networkBalancer) bool {
		return len(names)+len(arns) == 0 || slices.Contains(names, lb.Name) || slices.Contains(arns, arn)
	})
	out := networkResult{NextMarker: next}
	for _, lb := range found {
		out.Balancers = append(out.Balancers, c.networkItem(lb))
	}
	return out, nil
}

func (c *Cloud) allNetwork(names, arns []string) error {
	for _, arn := range arns {
		if !c.balancers.has(arn) {
			return noNetwork(arn)
		}
	}
	for _, name := range names {
		known := func(lb *networkBalancer) bool { return lb.Name == name }
		if !slices.ContainsFunc(c.balancers.all(), known) {
			return noNetwork(name)
		}
	}
	return nil
}

// markerPager reads the paging of the load balancing APIs.
func markerPager(q *call) (pager, error) {
	asked, err := q.number("PageSize")
	if err != nil {
		return pager{}, err
	}
	return newPager(q.action, q.str("Marker"), asked, 400)
}

type attributesResult struct {
	Attributes []keyAndValue `xml:"Attributes>member"`
}

func defaultNetworkAttributes() []keyAndValue {
	return []keyAndValue{
		{Key: "deletion_protection.enabled", Value: "false"},
		{Key: "load_balancing.cross_zone.enabled", Value: "false"},
		{Key: "access_logs.s3.enabled", Value: "false"},
		{Key: "access_logs.s3.bucket", Value: ""},
		{Key: "access_logs.s3.prefix", Value: ""},
	}
}

func describeNetworkAttributes(c *Cloud, q *call) (any, error) {
	lb, err := c.networkOf(q)
	if err != nil {
		return nil, err
	}
	return attributesResult{Attributes: lb.Attributes}, nil
}

func modifyNetworkAttributes(c *Cloud, q *call) (any, error) {
	lb, err := c.networkOf(q)
	if err != nil {
		return nil, err
	}
	if lb.Attributes, err = applyAttributes(lb.Attributes, q); err != nil {
		return nil, err
	}
	return attributesResult{Attributes: lb.Attributes}, nil
}

// applyAttributes applies the attributes of a call, which must all be known.
func applyAttributes(pairs []keyAndValue, q *call) ([]keyAndValue, error) {
	out := pairs
	for _, item := range q.items("Attributes") {
		key := item.str("Key")
		if !slices.ContainsFunc(pairs, func(kv keyAndValue) bool { return kv.Key == key }) {
			return pairs, fail("ValidationError", "Attribute key '%s' is not recognized", key)
		}
		out = withKey(out, key, item.str("Value"))
	}
	return out, nil
}
