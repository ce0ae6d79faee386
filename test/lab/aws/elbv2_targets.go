package aws

import "slices"

type target struct {
	ID   string `xml:"Id"`
	Port int
}

func (g *targetGroup) targets(q *call) ([]target, error) {
	var out []target
	for _, item := range q.items("Targets") {
		port, err := item.number("Port")
		if err != nil {
			return nil, err
		}
		if port == 0 {
			port = g.Port
		}
		out = append(out, target{ID: item.str("Id"), Port: port})
	}
	if len(out) == 0 {
		return nil, fail("ValidationError", "Targets is required")
	}
	return out, nil
}

func registerTargets(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	targets, err := g.targets(q)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		i, ok := c.instances.get(t.ID)
		if g.Type == "instance" && (!ok || i.State != StateRunning) {
			return nil, fail("InvalidTarget", "The following targets are not in a running state and cannot be registered: '%s'", t.ID)
		}
	}
	for _, t := range targets {
		if !slices.Contains(g.Targets, t) {
			g.Targets = append(g.Targets, t)
		}
	}
	return empty{}, nil
}

func deregisterTargets(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	targets, err := g.targets(q)
	if err != nil {
		return nil, err
	}
	g.Targets = slices.DeleteFunc(g.Targets, func(t target) bool { return slices.Contains(targets, t) })
	return empty{}, nil
}

type targetHealthResult struct {
	Targets []targetHealthItem `xml:"TargetHealthDescriptions>member"`
}

type targetHealthItem struct {
	Target          target
	HealthCheckPort string
	State           string `xml:"TargetHealth>State"`
	Reason          string `xml:"TargetHealth>Reason,omitempty"`
}

// describeTargetHealth reports a running target healthy once a listener uses its group, because
// the lab does not probe ports.
func describeTargetHealth(c *Cloud, q *call) (any, error) {
	g, err := c.targetGroupOf(q)
	if err != nil {
		return nil, err
	}
	used := len(c.users(g.ARN)) > 0
	var out targetHealthResult
	for _, t := range g.Targets {
		item := targetHealthItem{Target: t, HealthCheckPort: itoa(t.Port), State: "healthy"}
		i, ok := c.instances.get(t.ID)
		switch {
		case !used:
			item.State, item.Reason = "unused", "Target.NotInUse"
		case g.Type == "instance" && (!ok || i.State != StateRunning):
			item.State, item.Reason = "unused", "Target.InvalidState"
		}
		out.Targets = append(out.Targets, item)
	}
	return out, nil
}

// networkResources returns the ARNs of a tag call; all must exist.
func (c *Cloud) networkResources(q *call) ([]string, error) {
	arns := q.list("ResourceArns")
	if len(arns) == 0 {
		return nil, fail("ValidationError", "ResourceArns is required")
	}
	for _, arn := range arns {
		if c.balancers.has(arn) || c.targetGroups.has(arn) {
			continue
		}
		if _, _, err := c.listenerOf(arn); err != nil {
			return nil, noNetwork(arn)
		}
	}
	return arns, nil
}

func addNetworkTags(c *Cloud, q *call) (any, error) {
	arns, err := c.networkResources(q)
	if err != nil {
		return nil, err
	}
	for _, arn := range arns {
		c.tags.add(arn, tagParams(q.items("Tags")))
	}
	return empty{}, nil
}

func removeNetworkTags(c *Cloud, q *call) (any, error) {
	arns, err := c.networkResources(q)
	if err != nil {
		return nil, err
	}
	for _, arn := range arns {
		for _, key := range q.list("TagKeys") {
			delete(c.tags[arn], key)
		}
	}
	return empty{}, nil
}

type networkTagsResult struct {
	Descriptions []networkTagsItem `xml:"TagDescriptions>member"`
}

type networkTagsItem struct {
	ARN  string     `xml:"ResourceArn"`
	Tags []queryTag `xml:"Tags>member"`
}

func describeNetworkTags(c *Cloud, q *call) (any, error) {
	arns, err := c.networkResources(q)
	if err != nil {
		return nil, err
	}
	var out networkTagsResult
	for _, arn := range arns {
		out.Descriptions = append(out.Descriptions, networkTagsItem{ARN: arn, Tags: c.tags.query(arn)})
	}
	return out, nil
}
