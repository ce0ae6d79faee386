package aws

import (
	"net/netip"
	"slices"
)

type describeRouteTablesReply struct {
	reply
	Tables    []routeTableItem `xml:"routeTableSet>item"`
	NextToken string           `xml:"nextToken,omitempty"`
}

type routeTableItem struct {
	ID           string            `xml:"routeTableId"`
	Vpc          string            `xml:"vpcId"`
	Owner        string            `xml:"ownerId"`
	Routes       []routeItem       `xml:"routeSet>item"`
	Associations []associationItem `xml:"associationSet>item"`
	Tags         []tagItem         `xml:"tagSet>item"`
}

type routeItem struct {
	CIDR      string `xml:"destinationCidrBlock"`
	Gateway   string `xml:"gatewayId,omitempty"`
	Instance  string `xml:"instanceId,omitempty"`
	Owner     string `xml:"instanceOwnerId,omitempty"`
	Interface string `xml:"networkInterfaceId,omitempty"`
	State     string `xml:"state"`
	Origin    string `xml:"origin"`
}

type associationItem struct {
	ID    string `xml:"routeTableAssociationId"`
	Table string `xml:"routeTableId"`
	Main  bool   `xml:"main"`
	State string `xml:"associationState>state"`
}

func noRouteTable(id string) error {
	return fail("InvalidRouteTableID.NotFound", "The routeTable ID '%s' does not exist", id)
}

// describeRouteTables returns the one table as the VPC's main one, which every subnet without
// an association uses.
func describeRouteTables(c *Cloud, q *call) (any, error) {
	d := describe[*routeTable]{ids: "RouteTableId", absent: noRouteTable, attr: c.routeTableAttr, maximum: 100}
	found, next, err := d.run(c, q, c.routeTables)
	if err != nil {
		return nil, err
	}
	out := &describeRouteTablesReply{NextToken: next}
	for _, t := range found {
		item := routeTableItem{
			ID: t.ID, Vpc: c.vpc.ID, Owner: c.account, Tags: c.tags.items(t.ID),
			Associations: []associationItem{{ID: "rtbassoc" + t.ID[len("rtb"):], Table: t.ID, Main: true, State: "associated"}},
		}
		for _, r := range t.Routes {
			item.Routes = append(item.Routes, c.routeItem(r))
		}
		out.Tables = append(out.Tables, item)
	}
	return out, nil
}

// routeItem returns a route to a deleted instance as a blackhole.
func (c *Cloud) routeItem(r route) routeItem {
	item := routeItem{CIDR: r.CIDR, Gateway: r.Gateway, Instance: r.Instance, State: "active", Origin: "CreateRoute"}
	if r.Gateway == "local" {
		item.Origin = "CreateRouteTable"
	}
	if r.Instance == "" {
		return item
	}
	i, ok := c.instances.get(r.Instance)
	if !ok || i.State == StateTerminated {
		item.Instance, item.State = "", "blackhole"
		return item
	}
	item.Owner, item.Interface = c.account, i.InterfaceID
	if i.State != StateRunning {
		item.State = "blackhole"
	}
	return item
}

func (c *Cloud) routeTableAttr(id string, _ *routeTable, name string) ([]string, bool) {
	switch name {
	case "route-table-id":
		return []string{id}, true
	case "vpc-id":
		return []string{c.vpc.ID}, true
	case "association.main":
		return []string{"true"}, true
	case "association.subnet-id":
		return nil, true
	default:
		return nil, false
	}
}

func createRoute(c *Cloud, q *call) (any, error) {
	if err := q.require("RouteTableId", "DestinationCidrBlock"); err != nil {
		return nil, err
	}
	t, ok := c.routeTables.get(q.str("RouteTableId"))
	if !ok {
		return nil, noRouteTable(q.str("RouteTableId"))
	}
	cidr, id := q.str("DestinationCidrBlock"), q.str("InstanceId")
	if _, err := netip.ParsePrefix(cidr); err != nil {
		return nil, invalidValue("Value (%s) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.", cidr)
	}
	if _, err := t.find(cidr); err == nil {
		return nil, fail("RouteAlreadyExists", "The route identified by %s already exists.", cidr)
	}
	if id == "" {
		return nil, missingParameter("InstanceId")
	}
	i, ok := c.instances.get(id)
	if !ok || i.State == StateTerminated {
		return nil, instanceID(id)
	}
	t.Routes = append(t.Routes, route{CIDR: cidr, Instance: id})
	return &done{Return: true}, nil
}

func deleteRoute(c *Cloud, q *call) (any, error) {
	if err := q.require("RouteTableId", "DestinationCidrBlock"); err != nil {
		return nil, err
	}
	t, ok := c.routeTables.get(q.str("RouteTableId"))
	if !ok {
		return nil, noRouteTable(q.str("RouteTableId"))
	}
	n, err := t.find(q.str("DestinationCidrBlock"))
	if err != nil {
		return nil, err
	}
	t.Routes = slices.Delete(t.Routes, n, n+1)
	return &done{Return: true}, nil
}

func (t *routeTable) find(cidr string) (int, error) {
	for n, r := range t.Routes {
		if r.CIDR == cidr {
			return n, nil
		}
	}
	return 0, fail("InvalidRoute.NotFound", "no route with destination-cidr-block %s in route table %s", cidr, t.ID)
}
