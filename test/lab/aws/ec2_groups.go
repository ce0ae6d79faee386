package aws

import "strconv"

type describeGroupsReply struct {
	reply
	Groups    []securityGroupItem `xml:"securityGroupInfo>item"`
	NextToken string              `xml:"nextToken,omitempty"`
}

type securityGroupItem struct {
	Owner       string           `xml:"ownerId"`
	ID          string           `xml:"groupId"`
	Name        string           `xml:"groupName"`
	Description string           `xml:"groupDescription"`
	Vpc         string           `xml:"vpcId"`
	Ingress     []permissionItem `xml:"ipPermissions>item"`
	Egress      []permissionItem `xml:"ipPermissionsEgress>item"`
	Tags        []tagItem        `xml:"tagSet>item"`
}

func noGroup(id string) error {
	return fail("InvalidGroup.NotFound", "The security group '%s' does not exist", id)
}

func describeSecurityGroups(c *Cloud, q *call) (any, error) {
	d := describe[*securityGroup]{ids: "GroupId", absent: noGroup, attr: c.groupAttr, maximum: 1000, capped: true}
	found, next, err := d.run(c, q, c.groups)
	if err != nil {
		return nil, err
	}
	out := &describeGroupsReply{NextToken: next}
	for _, g := range found {
		out.Groups = append(out.Groups, securityGroupItem{
			Owner: c.account, ID: g.ID, Name: g.Name, Description: g.Description, Vpc: c.vpc.ID,
			Ingress: c.permissionItems(g.Ingress), Tags: c.tags.items(g.ID),
			Egress: c.permissionItems([]rule{{Protocol: "-1", CIDR: "0.0.0.0/0"}}),
		})
	}
	return out, nil
}

func (c *Cloud) groupAttr(id string, g *securityGroup, name string) ([]string, bool) {
	if g == nil {
		g = &securityGroup{}
	}
	rules := func(value func(rule) string) ([]string, bool) {
		var out []string
		for _, r := range g.Ingress {
			if v := value(r); v != "" {
				out = append(out, v)
			}
		}
		return out, true
	}
	switch name {
	case "group-id":
		return []string{id}, true
	case "group-name":
		return []string{g.Name}, true
	case "description":
		return []string{g.Description}, true
	case "vpc-id":
		return []string{c.vpc.ID}, true
	case "owner-id":
		return []string{c.account}, true
	case "ip-permission.group-id":
		return rules(func(r rule) string { return r.Group })
	case "ip-permission.cidr":
		return rules(func(r rule) string { return r.CIDR })
	case "ip-permission.protocol":
		return rules(func(r rule) string { return r.Protocol })
	case "ip-permission.from-port":
		return rules(func(r rule) string { return strconv.Itoa(r.From) })
	case "ip-permission.to-port":
		return rules(func(r rule) string { return strconv.Itoa(r.To) })
	default:
		return nil, false
	}
}

type createGroupReply struct {
	reply
	Return bool      `xml:"return"`
	ID     string    `xml:"groupId"`
	Tags   []tagItem `xml:"tagSet>item"`
}

func createSecurityGroup(c *Cloud, q *call) (any, error) {
	if err := q.require("GroupName", "GroupDescription"); err != nil {
		return nil, err
	}
	if id := q.str("VpcId"); id != "" && id != c.vpc.ID {
		return nil, fail("InvalidVpcID.NotFound", "The vpc ID '%s' does not exist", id)
	}
	name := q.str("GroupName")
	for _, g := range c.groups.all() {
		if g.Name == name {
			return nil, fail("InvalidGroup.Duplicate", "The security group '%s' already exists for VPC '%s'", name, c.vpc.ID)
		}
	}
	g := c.addGroup(name, q.str("GroupDescription"))
	c.tags.add(g.ID, tagSpecification(q.params, "security-group"))
	return &createGroupReply{Return: true, ID: g.ID, Tags: c.tags.items(g.ID)}, nil
}

type deleteGroupReply struct {
	reply
	Return bool   `xml:"return"`
	ID     string `xml:"groupId"`
}

func deleteSecurityGroup(c *Cloud, q *call) (any, error) {
	if err := q.require("GroupId"); err != nil {
		return nil, err
	}
	id := q.str("GroupId")
	if !c.groups.has(id) {
		return nil, noGroup(id)
	}
	if user := c.groupUser(id); user != "" {
		return nil, fail("DependencyViolation", "resource %s has a dependent object (%s)", id, user)
	}
	c.groups.remove(id)
	delete(c.tags, id)
	return &deleteGroupReply{Return: true, ID: id}, nil
}
