package aws

import (
	"cmp"
	"slices"
)

type targetGroup struct {
	ARN, Name, Protocol, Type string
	Port                      int
	Health                    targetCheck
	Attributes                []keyAndValue
	Targets                   []target
}

type targetCheck struct {
	Protocol  string `xml:"HealthCheckProtocol"`
	Port      string `xml:"HealthCheckPort"`
	Path      string `xml:"HealthCheckPath,omitempty"`
	Enabled   bool   `xml:"HealthCheckEnabled"`
	Interval  int    `xml:"HealthCheckIntervalSeconds"`
	Timeout   int    `xml:"HealthCheckTimeoutSeconds"`
	Healthy   int    `xml:"HealthyThresholdCount"`
	Unhealthy int    `xml:"UnhealthyThresholdCount"`
}

type targetGroupsResult struct {
	Groups     []targetGroupItem `xml:"TargetGroups>member"`
	NextMarker string            `xml:",omitempty"`
}

type targetGroupItem struct {
	ARN      string `xml:"TargetGroupArn"`
	Name     string `xml:"TargetGroupName"`
	Protocol string
	Port     int
	Vpc      string `xml:"VpcId"`
	targetCheck
	Balancers     []string `xml:"LoadBalancerArns>member"`
	Type          string   `xml:"TargetType"`
	IPAddressType string   `xml:"IpAddressType"`
}

func noTargetGroup(arn string) error {
	return fail("TargetGroupNotFound", "Target groups '%s' not found", arn)
}

func (c *Cloud) targetGroupOf(q *call) (*targetGroup, error) {
	arn := q.str("TargetGroupArn")
	g, ok := c.targetGroups.get(arn)
	if !ok {
		return nil, noTargetGroup(arn)
	}
	return g, nil
}

// users returns the load balancers with a listener for a target group.
func (c *Cloud) users(arn string) []string {
	var out []string
	for _, lb := range c.balancers.all() {
		for _, l := range lb.Listeners {
			if l.TargetGroup == arn && !slices.Contains(out, lb.ARN) {
				out = append(out, lb.ARN)
			}
		}
	}
	return out
}

func (c *Cloud) targetGroupItem(g *targetGroup) targetGroupItem {
	return targetGroupItem{
		ARN: g.ARN, Name: g.Name, Protocol: g.Protocol, Port: g.Port, Vpc: c.vpc.ID, targetCheck: g.Health,
		Balancers: c.users(g.ARN), Type: g.Type, IPAddressType: "ipv4",
	}
}

func describeTargetGroups(c *Cloud, q *call) (any, error) {
	names, arns, balancer := q.list("Names"), q.list("TargetGroupArns"), q.str("LoadBalancerArn")
	if balancer != "" && !c.balancers.has(balancer) {
		return nil, noNetwork(balancer)
	}
	for _, arn := range arns {
		if !c.targetGroups.has(arn) {
			return nil, noTargetGroup(arn)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(c.targetGroups.all(), func(g *targetGroup) bool { return g.Name == name }) {
			return nil, noTargetGroup(name)
		}
	}
	p, err := markerPager(q)
	if err != nil {
		return nil, err
	}
	found, next := page(c.targetGroups, q.action, p, func(arn string, g *targetGroup) bool {
		return (len(names) == 0 || slices.Contains(names, g.Name)) &&
			(len(arns) == 0 || slices.Contains(arns, arn)) &&
			(balancer == "" || slices.Contains(c.users(arn), balancer))
	})
	out := targetGroupsResult{NextMarker: next}
	for _, g := range found {
		out.Groups = append(out.Groups, c.targetGroupItem(g))
	}
	return out, nil
}

func createTargetGroup(c *Cloud, q *call) (any, error) {
	port, err := q.number("Port")
	if err != nil {
		return nil, err
	}
	g := &targetGroup{
		Name: q.str("Name"), Protocol: q.str("Protocol"), Port: port, Type: cmp.Or(q.str("TargetType"), "instance"),
		Health: targetCheck{
			Protocol: "TCP", Port: "traffic-port", Enabled: true, Interval: 30, Timeout: 10, Healthy: 5, Unhealthy: 2,
		},
		Attributes: defaultTargetGroupAttributes(),
	}
	if g.Name == "" || len(g.Name) > 32 || g.Protocol == "" || port < 1 || port > 65535 {
		return nil, fail("ValidationError", "A target group needs a name of 1 to 32 characters, protocol and port; got %q, %q, %d", g.Name, g.Protocol, port)
	}
	if err := g.Health.fill(q); err != nil {
		return nil, err
	}
	for _, old := range c.targetGroups.all() {
		if old.Name != g.Name {
			continue
		}
		if old.Protocol == g.Protocol && old.Port == g.Port && old.Health == g.Health {
			return targetGroupsResult{Groups: []targetGroupItem{c.targetGroupItem(old)}}, nil
		}
		return nil, fail("DuplicateTargetGroupName", "A target group with the same name '%s' exists, but with different settings", g.Name)
	}
	g.ARN = c.arn("targetgroup/" + g.Name + "/" + c.suffix())
	c.targetGroups.put(g.ARN, g)
	c.tags.add(g.ARN, tagParams(q.items("Tags")))
	return targetGroupsResult{Groups: []targetGroupItem{c.targetGroupItem(g)}}, nil
}

// fill applies the parameters of a call to a health check.
func (t *targetCheck) fill(q *call) error {
	for name, field := range map[string]*string{
		"HealthCheckProtocol": &t.Protocol, "HealthCheckPort": &t.Port, "HealthCheckPath": &t.Path,
	} {
		if value := q.str(name); value != "" {
			*field = value
		}
	}
	for name, field := range map[string]*int{
		"HealthCheckIntervalSeconds": &t.Interval, "HealthCheckTimeoutSeconds": &t.Timeout,
		"HealthyThresholdCount": &t.Healthy, "UnhealthyThresholdCount": &t.Unhealthy,
	} {
		value, err := q.number(name)
		if err != nil {
			return err
		}
		if value > 0 {
			*field = value
		}
	}
	return nil
}

func modifyTargetGroup(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	next := g.Health
	if err := next.fill(q); err != nil {
		return nil, err
	}
	g.Health = next
	return targetGroupsResult{Groups: []targetGroupItem{c.targetGroupItem(g)}}, nil
}

func deleteTargetGroup(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	if users := c.users(g.ARN); len(users) > 0 {
		return nil, fail("ResourceInUse", "Target group '%s' is currently in use by a listener or a rule", g.ARN)
	}
	c.targetGroups.remove(g.ARN)
	delete(c.tags, g.ARN)
	return empty{}, nil
}

func defaultTargetGroupAttributes() []keyAndValue {
	return []keyAndValue{
		{Key: "deregistration_delay.timeout_seconds", Value: "300"},
		{Key: "preserve_client_ip.enabled", Value: "true"},
		{Key: "proxy_protocol_v2.enabled", Value: "false"},
		{Key: "stickiness.enabled", Value: "false"},
		{Key: "stickiness.type", Value: "source_ip"},
	}
}

func describeTargetGroupAttributes(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	return attributesResult{Attributes: g.Attributes}, nil
}

func modifyTargetGroupAttributes(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	if g.Attributes, err = applyAttributes(g.Attributes, q); err != nil {
		return nil, err
	}
	return attributesResult{Attributes: g.Attributes}, nil
}
