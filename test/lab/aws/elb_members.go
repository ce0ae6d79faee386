package aws

import "slices"

type instancesResult struct {
	Instances []classicMemberItem `xml:"Instances>member"`
}

func memberIDs(q *call) []string {
	var out []string
	for _, item := range q.items("Instances") {
		out = append(out, item.str("InstanceId"))
	}
	return out
}

func (lb *classicBalancer) members() instancesResult {
	var out instancesResult
	for _, id := range lb.Instances {
		out.Instances = append(out.Instances, classicMemberItem{ID: id})
	}
	return out
}

func (c *Cloud) registrable(id string) error {
	i, ok := c.instances.get(id)
	if !ok || i.State == StateTerminated {
		return fail("InvalidInstance", "Could not find EC2 instance %s.", id)
	}
	return nil
}

func registerInstances(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	ids := memberIDs(q)
	for _, id := range ids {
		if err := c.registrable(id); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		if !slices.Contains(lb.Instances, id) {
			lb.Instances = append(lb.Instances, id)
		}
	}
	return lb.members(), nil
}

func deregisterInstances(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	ids := memberIDs(q)
	for _, id := range ids {
		if !slices.Contains(lb.Instances, id) {
			return nil, fail("InvalidInstance", "Could not find EC2 instance %s.", id)
		}
	}
	lb.Instances = slices.DeleteFunc(lb.Instances, func(id string) bool { return slices.Contains(ids, id) })
	return lb.members(), nil
}

type instanceHealthResult struct {
	States []instanceHealthItem `xml:"InstanceStates>member"`
}

type instanceHealthItem struct {
	ID          string `xml:"InstanceId"`
	State       string
	ReasonCode  string
	Description string
}

// describeInstanceHealth reports every running member in service, because the lab does not
// probe ports.
func describeInstanceHealth(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	ids := memberIDs(q)
	if len(ids) == 0 {
		ids = lb.Instances
	}
	var out instanceHealthResult
	for _, id := range ids {
		if !slices.Contains(lb.Instances, id) {
			return nil, fail("InvalidInstance", "Could not find EC2 instance %s.", id)
		}
		item := instanceHealthItem{ID: id, State: "InService", ReasonCode: "N/A", Description: "N/A"}
		if i, ok := c.instances.get(id); !ok || i.State != StateRunning {
			item.State, item.ReasonCode, item.Description = "OutOfService", "Instance", "Instance is not running."
		}
		out.States = append(out.States, item)
	}
	return out, nil
}
