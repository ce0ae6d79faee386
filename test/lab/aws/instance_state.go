package aws

import (
	"fmt"
	"slices"
)

// stateCode returns EC2's number for a state (low byte of instance-state-code).
func stateCode(state string) (int, bool) {
	code, ok := map[string]int{
		StatePending: 0, StateRunning: 16, StateShuttingDown: 32,
		StateTerminated: 48, StateStopping: 64, StateStopped: 80,
	}[state]
	return code, ok
}

// SetInstanceState changes an instance's state. As in EC2, a terminated instance loses its
// address, names and groups, and leaves every load balancer. It remains visible until
// ForgetInstance.
func (c *Cloud) SetInstanceState(id, state string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.instances.get(id)
	if !ok {
		return fmt.Errorf("set state of instance %s: no such instance", id)
	}
	if _, ok := stateCode(state); !ok {
		return fmt.Errorf("set state of instance %s: unknown state %q", id, state)
	}
	if i.State == StateTerminated && state != StateTerminated {
		return fmt.Errorf("set state of instance %s: it is terminated and cannot become %s", id, state)
	}
	c.setState(i, state)
	return nil
}

func (c *Cloud) setState(i *Instance, state string) {
	i.State = state
	if state == StateTerminated {
		c.leaveBalancers(i.ID)
	}
}

// ForgetInstance removes an instance from every answer, as EC2 does about an hour after its
// termination.
func (c *Cloud) ForgetInstance(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.instances.has(id) {
		return fmt.Errorf("forget instance %s: no such instance", id)
	}
	c.leaveBalancers(id)
	c.instances.remove(id)
	delete(c.tags, id)
	return nil
}

func (c *Cloud) leaveBalancers(id string) {
	for _, lb := range c.classic.all() {
		lb.Instances = slices.DeleteFunc(lb.Instances, func(member string) bool { return member == id })
	}
	for _, group := range c.targetGroups.all() {
		group.Targets = slices.DeleteFunc(group.Targets, func(t target) bool { return t.ID == id })
	}
}

// UpdateInstance changes hidden facts of a living instance: names, metadata options, role,
// groups. It must not change the ID, the state, or use another instance's address.
func (c *Cloud) UpdateInstance(id string, change func(*Instance)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.instances.get(id)
	if !ok {
		return fmt.Errorf("update instance %s: no such instance", id)
	}
	next := c.view(i)
	change(&next)
	if next.ID != id || next.State != i.State {
		return fmt.Errorf("update instance %s: ID and state cannot be changed this way", id)
	}
	if next.Role != "" && !c.roles.has(next.Role) {
		return fmt.Errorf("update instance %s: no role %q; SetPolicy makes one", id, next.Role)
	}
	c.tags[id] = next.Tags
	if c.tags[id] == nil {
		c.tags[id] = map[string]string{}
	}
	next.Tags = nil
	*i = next
	return nil
}
