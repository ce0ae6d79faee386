package aws

import (
	"maps"
	"slices"
)

// LoadBalancer is a load balancer of either API in the form for scenarios.
type LoadBalancer struct {
	Name    string
	Type    string // "classic" or "network"
	DNSName string
	ARN     string // of a network load balancer
	Scheme  string // "internet-facing" or "internal"
	// Instances are the IDs of the registered instances, sorted: those of a classic load
	// balancer, or in any target group of a network one.
	Instances      []string
	Listeners      []Listener
	Subnets        []string
	SecurityGroups []string
	Tags           map[string]string
}

// Listener forwards a port of a load balancer to a port of its instances.
type Listener struct {
	Protocol         string
	Port             int
	InstanceProtocol string
	InstancePort     int
}

// LoadBalancers returns all of them, classic ones first.
func (c *Cloud) LoadBalancers() []LoadBalancer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []LoadBalancer
	for _, lb := range c.classic.all() {
		out = append(out, c.classicView(lb))
	}
	for _, lb := range c.balancers.all() {
		out = append(out, c.networkView(lb))
	}
	return out
}

func (c *Cloud) classicView(lb *classicBalancer) LoadBalancer {
	view := LoadBalancer{
		Name: lb.Name, Type: "classic", DNSName: lb.DNSName, Scheme: lb.Scheme,
		Instances: slices.Sorted(slices.Values(lb.Instances)), Subnets: slices.Clone(lb.Subnets),
		SecurityGroups: slices.Clone(lb.SecurityGroups), Tags: maps.Clone(c.tags[classicKey(lb.Name)]),
	}
	for _, l := range lb.Listeners {
		view.Listeners = append(view.Listeners, Listener{
			Protocol: l.Protocol, Port: l.Port, InstanceProtocol: l.InstanceProtocol, InstancePort: l.InstancePort,
		})
	}
	return view
}

func (c *Cloud) networkView(lb *networkBalancer) LoadBalancer {
	view := LoadBalancer{
		Name: lb.Name, Type: "network", DNSName: lb.DNSName, ARN: lb.ARN, Scheme: lb.Scheme,
		Subnets: slices.Clone(lb.Subnets), SecurityGroups: slices.Clone(lb.SecurityGroups), Tags: maps.Clone(c.tags[lb.ARN]),
	}
	members := map[string]bool{}
	for _, l := range lb.Listeners {
		out := Listener{Protocol: l.Protocol, Port: l.Port}
		if group, ok := c.targetGroups.get(l.TargetGroup); ok {
			out.InstanceProtocol, out.InstancePort = group.Protocol, group.Port
			for _, t := range group.Targets {
				members[t.ID] = true
			}
		}
		view.Listeners = append(view.Listeners, out)
	}
	view.Instances = slices.Sorted(maps.Keys(members))
	return view
}

// oneZoneEach checks subnets as both APIs do: each exists, and no two are in one zone.
func (c *Cloud) oneZoneEach(ids []string) error {
	seen := map[string]string{}
	for _, id := range ids {
		s, ok := c.subnets.get(id)
		if !ok {
			return fail("SubnetNotFound", "The subnet ID '%s' does not exist", id)
		}
		if other := seen[s.Zone]; other != "" {
			return fail("InvalidConfigurationRequest",
				"A load balancer cannot be attached to multiple subnets in the same Availability Zone (%s and %s in %s)", other, id, s.Zone)
		}
		seen[s.Zone] = id
	}
	return nil
}

func (c *Cloud) knownGroups(ids []string) error {
	for _, id := range ids {
		if !c.groups.has(id) {
			return fail("InvalidSecurityGroup", "The security group '%s' does not exist", id)
		}
	}
	return nil
}
