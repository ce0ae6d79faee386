package aws

type terminateReply struct {
	reply
	Instances []stateChange `xml:"instancesSet>item"`
}

type stateChange struct {
	ID       string    `xml:"instanceId"`
	Current  stateItem `xml:"currentState"`
	Previous stateItem `xml:"previousState"`
}

func terminateInstances(c *Cloud, q *call) (any, error) {
	ids := q.list("InstanceId")
	if len(ids) == 0 {
		return nil, missingParameter("InstanceId")
	}
	if err := c.allInstances(ids); err != nil {
		return nil, err
	}
	out := &terminateReply{}
	for _, id := range ids {
		i, _ := c.instances.get(id)
		before, _ := stateCode(i.State)
		after, _ := stateCode(StateTerminated)
		out.Instances = append(out.Instances, stateChange{
			ID:       id,
			Previous: stateItem{Code: before, Name: i.State},
			Current:  stateItem{Code: after, Name: StateTerminated},
		})
		c.setState(i, StateTerminated)
	}
	return out, nil
}

// modifyInstanceAttribute serves the one attribute that a cloud provider changes. Any other one
// is an error.
func modifyInstanceAttribute(c *Cloud, q *call) (any, error) {
	id := q.str("InstanceId")
	if id == "" {
		return nil, missingParameter("InstanceId")
	}
	i, ok := c.instances.get(id)
	if !ok {
		return nil, instanceID(id)
	}
	if !q.has("SourceDestCheck", "Value") {
		return nil, fail("InvalidParameterCombination", "No attributes specified that this account can modify; wanted SourceDestCheck")
	}
	i.SourceDestCheck = q.flag("SourceDestCheck", "Value")
	return &done{Return: true}, nil
}
