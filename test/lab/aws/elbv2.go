package aws

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

func networkActions() map[string]action {
	return map[string]action{
		"DescribeLoadBalancers":          reads(describeNetwork),
		"CreateLoadBalancer":             writes(createNetwork),
		"DeleteLoadBalancer":             writes(deleteNetwork),
		"DescribeLoadBalancerAttributes": reads(describeNetworkAttributes),
		"ModifyLoadBalancerAttributes":   writes(modifyNetworkAttributes),
		"SetSecurityGroups":              writes(setSecurityGroups),
		"DescribeListeners":              reads(describeListeners),
		"CreateListener":                 writes(createListener),
		"ModifyListener":                 writes(modifyListener),
		"DeleteListener":                 writes(deleteListener),
		"DescribeTargetGroups":           reads(describeTargetGroups),
		"CreateTargetGroup":              writes(createTargetGroup),
		"ModifyTargetGroup":              writes(modifyTargetGroup),
		"DeleteTargetGroup":              writes(deleteTargetGroup),
		"DescribeTargetGroupAttributes":  reads(describeTargetGroupAttributes),
		"ModifyTargetGroupAttributes":    writes(modifyTargetGroupAttributes),
		"RegisterTargets":                writes(registerTargets),
		"DeregisterTargets":              writes(deregisterTargets),
		"DescribeTargetHealth":           reads(describeTargetHealth),
		"AddTags":                        writes(addNetworkTags),
		"RemoveTags":                     writes(removeNetworkTags),
		"DescribeTags":                   reads(describeNetworkTags),
	}
}

type networkBalancer struct {
	Name, ARN, DNSName, Scheme string
	Created                    time.Time
	Subnets                    []string
	SecurityGroups             []string
	Listeners                  []*networkListener
	Attributes                 []keyAndValue
}

func (c *Cloud) arn(resource string) string {
	return "arn:aws:elasticloadbalancing:" + c.region + ":" + c.account + ":" + resource
}

func noNetwork(name string) error {
	return fail("LoadBalancerNotFound", "Load balancers '[%s]' not found", name)
}

func (c *Cloud) networkOf(q *call) (*networkBalancer, error) {
	arn := q.str("LoadBalancerArn")
	if arn == "" {
		return nil, fail("ValidationError", "LoadBalancerArn is required")
	}
	lb, ok := c.balancers.get(arn)
	if !ok {
		return nil, noNetwork(arn)
	}
	return lb, nil
}

// createNetwork returns the load balancer of that name if it has the same settings, as AWS
// does.
func createNetwork(c *Cloud, q *call) (any, error) {
	name := q.str("Name")
	if name == "" || len(name) > 32 {
		return nil, fail("ValidationError", "The load balancer name '%s' must have 1 to 32 characters", name)
	}
	if kind := q.str("Type"); kind != "network" {
		return nil, fail("ValidationError", "Type %q is not served; the lab has network load balancers only", kind)
	}
	lb := &networkBalancer{
		Name: name, Scheme: cmp.Or(q.str("Scheme"), "internet-facing"), Created: c.now().UTC(),
		Subnets: q.list("Subnets"), SecurityGroups: q.list("SecurityGroups"), Attributes: defaultNetworkAttributes(),
	}
	for _, mapping := range q.items("SubnetMappings") {
		lb.Subnets = append(lb.Subnets, mapping.str("SubnetId"))
	}
	if len(lb.Subnets) == 0 {
		return nil, fail("ValidationError", "Either subnets or subnet mappings must be specified")
	}
	if err := c.oneZoneEach(lb.Subnets); err != nil {
		return nil, err
	}
	if err := c.knownGroups(lb.SecurityGroups); err != nil {
		return nil, err
	}
	for _, old := range c.balancers.all() {
		if old.Name != name {
			continue
		}
		if old.Scheme == lb.Scheme && slices.Equal(old.Subnets, lb.Subnets) {
			return networkResult{Balancers: []networkItem{c.networkItem(old)}}, nil
		}
		return nil, fail("DuplicateLoadBalancerName", "A load balancer with the same name '%s' exists, but with different settings", name)
	}
	suffix := c.suffix()
	lb.ARN = c.arn("loadbalancer/net/" + name + "/" + suffix)
	lb.DNSName = name + "-" + suffix + ".elb." + c.region + ".amazonaws.com"
	c.balancers.put(lb.ARN, lb)
	c.tags.add(lb.ARN, tagParams(q.items("Tags")))
	return networkResult{Balancers: []networkItem{c.networkItem(lb)}}, nil
}

// deleteNetwork also deletes the listeners and keeps the target groups, as AWS does. A missing
// load balancer is no error.
func deleteNetwork(c *Cloud, q *call) (any, error) {
	arn := q.str("LoadBalancerArn")
	if !strings.HasPrefix(arn, "arn:") {
		return nil, fail("ValidationError", "'%s' is not a valid load balancer ARN", arn)
	}
	if lb, ok := c.balancers.get(arn); ok {
		for _, l := range lb.Listeners {
			delete(c.tags, l.ARN)
		}
	}
	c.balancers.remove(arn)
	delete(c.tags, arn)
	return empty{}, nil
}

func setSecurityGroups(c *Cloud, q *call) (any, error) {
	lb, err := c.networkOf(q)
	if err != nil {
		return nil, err
	}
	ids := q.list("SecurityGroups")
	if err := c.knownGroups(ids); err != nil {
		return nil, err
	}
	if len(lb.SecurityGroups) == 0 {
		return nil, fail("InvalidConfigurationRequest", "Security groups cannot be set on a network load balancer created without any")
	}
	lb.SecurityGroups = ids
	return struct {
		Groups []string `xml:"SecurityGroupIds>member"`
	}{Groups: ids}, nil
}
