package aws

import (
	"cmp"
	"slices"
)

type securityGroup struct {
	ID, Name, Description string
	Ingress               []rule
}

// rule is a permission with one source, as EC2 counts them. Ports are -1 if the protocol has
// none.
type rule struct {
	Protocol string
	From, To int
	CIDR     string
	CIDRv6   string
	Prefix   string // prefix list
	Group    string
	Text     string // description, no part of a rule's identity
}

func (r rule) same(other rule) bool {
	r.Text, other.Text = "", ""
	return r == other
}

func (g *securityGroup) index(r rule) int {
	return slices.IndexFunc(g.Ingress, r.same)
}

func (c *Cloud) addGroup(name, description string) *securityGroup {
	g := &securityGroup{ID: c.newID("sg"), Name: name, Description: description}
	c.groups.put(g.ID, g)
	return g
}

// SecurityGroup is a group in the form for scenarios.
type SecurityGroup struct {
	ID, Name string
	Tags     map[string]string
	Rules    int // ingress rules
}

// SecurityGroups returns every group, so that a scenario can find leftovers.
func (c *Cloud) SecurityGroups() []SecurityGroup {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []SecurityGroup
	for _, g := range c.groups.all() {
		group := SecurityGroup{ID: g.ID, Name: g.Name, Tags: map[string]string{}, Rules: len(g.Ingress)}
		for _, tag := range c.tags.items(g.ID) {
			group.Tags[tag.Key] = tag.Value
		}
		out = append(out, group)
	}
	return out
}

// CreateSecurityGroup adds a group as a person in the console would.
func (c *Cloud) CreateSecurityGroup(name string, tagged map[string]string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.addGroup(name, cmp.Or(name, "made by hand"))
	c.tags.add(g.ID, tagged)
	return g.ID
}

// groupUser returns the resource that prevents the deletion of a group, or empty.
func (c *Cloud) groupUser(id string) string {
	for _, i := range c.instances.all() {
		if i.State != StateTerminated && slices.Contains(i.SecurityGroups, id) {
			return "network interface " + i.InterfaceID
		}
	}
	for _, lb := range c.classic.all() {
		if slices.Contains(lb.SecurityGroups, id) {
			return "load balancer " + lb.Name
		}
	}
	for _, g := range c.groups.all() {
		for _, r := range g.Ingress {
			if g.ID != id && r.Group == id {
				return "security group " + g.ID
			}
		}
	}
	return ""
}
