package aws

import (
	"slices"
	"strings"
	"time"
)

func classicActions() map[string]action {
	return map[string]action{
		"DescribeLoadBalancers":                   reads(describeClassic),
		"CreateLoadBalancer":                      writes(createClassic),
		"DeleteLoadBalancer":                      writes(deleteClassic),
		"DescribeLoadBalancerAttributes":          reads(describeClassicAttributes),
		"ModifyLoadBalancerAttributes":            writes(modifyClassicAttributes),
		"ConfigureHealthCheck":                    writes(configureHealthCheck),
		"RegisterInstancesWithLoadBalancer":       writes(registerInstances),
		"DeregisterInstancesFromLoadBalancer":     writes(deregisterInstances),
		"DescribeInstanceHealth":                  reads(describeInstanceHealth),
		"CreateLoadBalancerListeners":             writes(createClassicListeners),
		"DeleteLoadBalancerListeners":             writes(deleteClassicListeners),
		"AttachLoadBalancerToSubnets":             writes(attachSubnets),
		"DetachLoadBalancerFromSubnets":           writes(detachSubnets),
		"ApplySecurityGroupsToLoadBalancer":       writes(applySecurityGroups),
		"CreateLoadBalancerPolicy":                writes(createClassicPolicy),
		"DescribeLoadBalancerPolicies":            reads(describeClassicPolicies),
		"SetLoadBalancerPoliciesForBackendServer": writes(setBackendPolicies),
		"SetLoadBalancerPoliciesOfListener":       writes(setListenerPolicies),
		"AddTags":                                 writes(addClassicTags),
		"RemoveTags":                              writes(removeClassicTags),
		"DescribeTags":                            reads(describeClassicTags),
	}
}

type classicBalancer struct {
	Name, DNSName, Scheme string
	Created               time.Time
	Listeners             []*classicListener
	Subnets               []string
	SecurityGroups        []string
	Instances             []string
	HealthCheck           healthCheck
	Attributes            classicAttributes
	Policies              []*classicPolicy
	Backends              map[int][]string // policies by instance port
	created               string           // the settings at its creation
}

type classicListener struct {
	Protocol         string   `xml:"Protocol"`
	Port             int      `xml:"LoadBalancerPort"`
	InstanceProtocol string   `xml:"InstanceProtocol"`
	InstancePort     int      `xml:"InstancePort"`
	Certificate      string   `xml:"SSLCertificateId,omitempty"`
	Policies         []string `xml:"-"`
}

type healthCheck struct {
	Target             string
	Interval           int
	Timeout            int
	UnhealthyThreshold int
	HealthyThreshold   int
}

// classicKey returns the key of a classic load balancer's tags, because it has no ID.
func classicKey(name string) string { return "elb/" + name }

func noClassic(name string) error {
	return fail("LoadBalancerNotFound", "There is no ACTIVE Load Balancer named '%s'", name)
}

func (c *Cloud) classicOf(q *call) (*classicBalancer, error) {
	name := q.str("LoadBalancerName")
	if name == "" {
		return nil, fail("ValidationError", "LoadBalancerName is required")
	}
	lb, ok := c.classic.get(name)
	if !ok {
		return nil, noClassic(name)
	}
	return lb, nil
}

type dnsNameResult struct {
	DNSName string
}

// createClassic is idempotent for a repeated request with the same settings, as in AWS. The
// same name with other settings is an error.
func createClassic(c *Cloud, q *call) (any, error) {
	name := q.str("LoadBalancerName")
	if name == "" || len(name) > 32 {
		return nil, fail("ValidationError", "LoadBalancerName %q must have 1 to 32 characters", name)
	}
	listeners, err := parseListeners(q.items("Listeners"))
	if err != nil {
		return nil, err
	}
	if len(listeners) == 0 {
		return nil, fail("ValidationError", "Listeners cannot be empty")
	}
	lb := &classicBalancer{
		Name: name, Scheme: "internet-facing", Created: c.now().UTC(), Listeners: listeners,
		Subnets: q.list("Subnets"), SecurityGroups: q.list("SecurityGroups"),
		Attributes: defaultClassicAttributes(), Backends: map[int][]string{},
	}
	if q.str("Scheme") == "internal" {
		lb.Scheme = "internal"
	}
	lb.created = lb.settings()
	if old, ok := c.classic.get(name); ok {
		if old.created == lb.created {
			return dnsNameResult{DNSName: old.DNSName}, nil
		}
		return nil, fail("DuplicateLoadBalancerName", "Load Balancer named %s already exists and it is configured with different parameters.", name)
	}
	if err := c.checkPlace(lb); err != nil {
		return nil, err
	}
	first := listeners[0]
	lb.HealthCheck = healthCheck{
		Target: "TCP:" + itoa(first.InstancePort), Interval: 30, Timeout: 5, UnhealthyThreshold: 2, HealthyThreshold: 10,
	}
	lb.DNSName = strings.ToLower(name) + "-" + c.dnsNumber() + "." + c.region + ".elb.amazonaws.com"
	if lb.Scheme == "internal" {
		lb.DNSName = "internal-" + lb.DNSName
	}
	c.classic.put(name, lb)
	c.tags.add(classicKey(name), tagParams(q.items("Tags")))
	return dnsNameResult{DNSName: lb.DNSName}, nil
}

func (c *Cloud) checkPlace(lb *classicBalancer) error {
	if len(lb.Subnets) == 0 {
		return fail("ValidationError", "Either AvailabilityZones or Subnets must be specified; here Subnets")
	}
	if err := c.oneZoneEach(lb.Subnets); err != nil {
		return err
	}
	if len(lb.SecurityGroups) == 0 {
		for _, g := range c.groups.all() {
			if g.Name == "default" {
				lb.SecurityGroups = []string{g.ID}
			}
		}
	}
	return c.knownGroups(lb.SecurityGroups)
}

// settings returns the settings in which a repeated creation must agree.
func (lb *classicBalancer) settings() string {
	var out []string
	for _, l := range lb.Listeners {
		out = append(out, l.Protocol, itoa(l.Port), l.InstanceProtocol, itoa(l.InstancePort), l.Certificate)
	}
	out = append(out, lb.Scheme)
	out = append(out, slices.Sorted(slices.Values(lb.Subnets))...)
	out = append(out, slices.Sorted(slices.Values(lb.SecurityGroups))...)
	return strings.Join(out, " ")
}

// deleteClassic succeeds for a missing name, as in AWS.
func deleteClassic(c *Cloud, q *call) (any, error) {
	name := q.str("LoadBalancerName")
	if name == "" {
		return nil, fail("ValidationError", "LoadBalancerName is required")
	}
	c.classic.remove(name)
	delete(c.tags, classicKey(name))
	return empty{}, nil
}
