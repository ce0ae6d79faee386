package aws

import (
	"maps"
	"slices"
	"time"
)

type describeClassicResult struct {
	Balancers  []classicItem `xml:"LoadBalancerDescriptions>member"`
	NextMarker string        `xml:"NextMarker,omitempty"`
}

type classicItem struct {
	Name           string `xml:"LoadBalancerName"`
	DNSName        string
	HostedZoneName string              `xml:"CanonicalHostedZoneName"`
	HostedZoneID   string              `xml:"CanonicalHostedZoneNameID"`
	Listeners      []listenerItem      `xml:"ListenerDescriptions>member"`
	Policies       []string            `xml:"Policies>OtherPolicies>member"`
	Backends       []backendItem       `xml:"BackendServerDescriptions>member"`
	Zones          []string            `xml:"AvailabilityZones>member"`
	Subnets        []string            `xml:"Subnets>member"`
	Vpc            string              `xml:"VPCId"`
	Instances      []classicMemberItem `xml:"Instances>member"`
	HealthCheck    healthCheck
	SourceGroup    sourceGroupItem `xml:"SourceSecurityGroup"`
	SecurityGroups []string        `xml:"SecurityGroups>member"`
	Created        string          `xml:"CreatedTime"`
	Scheme         string
}

type listenerItem struct {
	Listener classicListener
	Policies []string `xml:"PolicyNames>member"`
}

type backendItem struct {
	InstancePort int
	Policies     []string `xml:"PolicyNames>member"`
}

type classicMemberItem struct {
	ID string `xml:"InstanceId"`
}

type sourceGroupItem struct {
	Owner string `xml:"OwnerAlias"`
	Name  string `xml:"GroupName"`
}

func describeClassic(c *Cloud, q *call) (any, error) {
	names := q.list("LoadBalancerNames")
	for _, name := range names {
		if !c.classic.has(name) {
			return nil, noClassic(name)
		}
	}
	asked, err := q.number("PageSize")
	if err != nil {
		return nil, err
	}
	p, err := newPager(q.action, q.str("Marker"), asked, 400)
	if err != nil {
		return nil, err
	}
	found, next := page(c.classic, q.action, p, func(name string, _ *classicBalancer) bool {
		return len(names) == 0 || slices.Contains(names, name)
	})
	out := describeClassicResult{NextMarker: next}
	for _, lb := range found {
		out.Balancers = append(out.Balancers, c.classicItem(lb))
	}
	return out, nil
}

func (c *Cloud) classicItem(lb *classicBalancer) classicItem {
	item := classicItem{
		Name: lb.Name, DNSName: lb.DNSName, HostedZoneName: lb.DNSName, HostedZoneID: "Z35SXDOTRQ7X7K",
		Subnets: lb.Subnets, Vpc: c.vpc.ID, HealthCheck: lb.HealthCheck, SecurityGroups: lb.SecurityGroups,
		Created: lb.Created.Format(time.RFC3339), Scheme: lb.Scheme,
	}
	for _, l := range lb.Listeners {
		item.Listeners = append(item.Listeners, listenerItem{Listener: *l, Policies: l.Policies})
	}
	for _, p := range lb.Policies {
		item.Policies = append(item.Policies, p.Name)
	}
	for _, port := range slices.Sorted(maps.Keys(lb.Backends)) {
		item.Backends = append(item.Backends, backendItem{InstancePort: port, Policies: lb.Backends[port]})
	}
	for _, id := range lb.Subnets {
		if s, ok := c.subnets.get(id); ok {
			item.Zones = append(item.Zones, s.Zone)
		}
	}
	for _, id := range lb.Instances {
		item.Instances = append(item.Instances, classicMemberItem{ID: id})
	}
	if len(lb.SecurityGroups) > 0 {
		if g, ok := c.groups.get(lb.SecurityGroups[0]); ok {
			item.SourceGroup = sourceGroupItem{Owner: c.account, Name: g.Name}
		}
	}
	return item
}
