package aws

import (
	"fmt"
	"net/netip"
	"strings"
)

// permissionItem holds rules with the same protocol and ports, which EC2 shows as one with many
// sources.
type permissionItem struct {
	Protocol string       `xml:"ipProtocol"`
	From     *int         `xml:"fromPort"`
	To       *int         `xml:"toPort"`
	Groups   []pairItem   `xml:"groups>item"`
	Ranges   []rangeItem  `xml:"ipRanges>item"`
	Rangesv6 []range6Item `xml:"ipv6Ranges>item"`
	Prefixes []prefixItem `xml:"prefixListIds>item"`
}

type pairItem struct {
	User        string `xml:"userId"`
	Group       string `xml:"groupId"`
	Description string `xml:"description,omitempty"`
}

type rangeItem struct {
	CIDR        string `xml:"cidrIp"`
	Description string `xml:"description,omitempty"`
}

type range6Item struct {
	CIDR        string `xml:"cidrIpv6"`
	Description string `xml:"description,omitempty"`
}

type prefixItem struct {
	ID          string `xml:"prefixListId"`
	Description string `xml:"description,omitempty"`
}

func (c *Cloud) permissionItems(rules []rule) []permissionItem {
	var out []permissionItem
	at := map[string]int{}
	for _, r := range rules {
		key := fmt.Sprint(r.Protocol, " ", r.From, " ", r.To)
		n, ok := at[key]
		if !ok {
			n = len(out)
			at[key] = n
			item := permissionItem{Protocol: r.Protocol}
			if r.Protocol != "-1" {
				item.From, item.To = &r.From, &r.To
			}
			out = append(out, item)
		}
		item := &out[n]
		switch {
		case r.Group != "":
			item.Groups = append(item.Groups, pairItem{User: c.account, Group: r.Group, Description: r.Text})
		case r.CIDRv6 != "":
			item.Rangesv6 = append(item.Rangesv6, range6Item{CIDR: r.CIDRv6, Description: r.Text})
		case r.Prefix != "":
			item.Prefixes = append(item.Prefixes, prefixItem{ID: r.Prefix, Description: r.Text})
		default:
			item.Ranges = append(item.Ranges, rangeItem{CIDR: r.CIDR, Description: r.Text})
		}
	}
	return out
}

// parseRules splits permissions into rules with one source each.
func (c *Cloud) parseRules(items []*params) ([]rule, error) {
	var out []rule
	for _, item := range items {
		base, err := parsePorts(item)
		if err != nil {
			return nil, err
		}
		before := len(out)
		for _, source := range item.items("IpRanges") {
			r := base
			r.CIDR, r.Text = source.str("CidrIp"), source.str("Description")
			if _, err := netip.ParsePrefix(r.CIDR); err != nil {
				return nil, invalidValue("CIDR block %s is malformed", r.CIDR)
			}
			out = append(out, r)
		}
		for _, source := range item.items("Ipv6Ranges") {
			r := base
			r.CIDRv6, r.Text = source.str("CidrIpv6"), source.str("Description")
			out = append(out, r)
		}
		for _, source := range item.items("PrefixListIds") {
			r := base
			r.Prefix, r.Text = source.str("PrefixListId"), source.str("Description")
			out = append(out, r)
		}
		for _, source := range item.items("Groups") {
			r := base
			r.Group, r.Text = source.str("GroupId"), source.str("Description")
			if !c.groups.has(r.Group) {
				return nil, noGroup(r.Group)
			}
			out = append(out, r)
		}
		if len(out) == before {
			return nil, invalidValue("A permission of protocol %q names no source", base.Protocol)
		}
	}
	return out, nil
}

func parsePorts(item *params) (rule, error) {
	protocol, ok := map[string]string{"6": "tcp", "17": "udp", "1": "icmp"}[item.str("IpProtocol")]
	if !ok {
		protocol = strings.ToLower(item.str("IpProtocol"))
	}
	if protocol == "" {
		return rule{}, missingParameter("IpProtocol")
	}
	r := rule{Protocol: protocol}
	if protocol == "-1" {
		return r, nil
	}
	var err error
	if r.From, err = item.number("FromPort"); err != nil {
		return rule{}, err
	}
	if r.To, err = item.number("ToPort"); err != nil {
		return rule{}, err
	}
	if (protocol == "tcp" || protocol == "udp") && (r.From < 0 || r.To > 65535 || r.From > r.To) {
		return rule{}, invalidValue("Invalid port range %d-%d for protocol %s", r.From, r.To, protocol)
	}
	return r, nil
}

func (c *Cloud) ruleCall(q *call) (*securityGroup, []rule, error) {
	id := q.str("GroupId")
	if id == "" {
		return nil, nil, missingParameter("GroupId")
	}
	g, ok := c.groups.get(id)
	if !ok {
		return nil, nil, noGroup(id)
	}
	items := q.items("IpPermissions")
	if len(items) == 0 {
		return nil, nil, missingParameter("IpPermissions")
	}
	rules, err := c.parseRules(items)
	return g, rules, err
}

// authorizeIngress adds all rules or none: an existing one fails the call.
func authorizeIngress(c *Cloud, q *call) (any, error) {
	g, rules, err := c.ruleCall(q)
	if err != nil {
		return nil, err
	}
	next := &securityGroup{Ingress: g.Ingress}
	for _, r := range rules {
		if next.index(r) >= 0 {
			return nil, fail("InvalidPermission.Duplicate", "the specified rule %q already exists", r)
		}
		next.Ingress = append(next.Ingress[:len(next.Ingress):len(next.Ingress)], r)
	}
	g.Ingress = next.Ingress
	return &done{Return: true}, nil
}

// revokeIngress removes all rules or none: a missing one fails the call.
func revokeIngress(c *Cloud, q *call) (any, error) {
	g, rules, err := c.ruleCall(q)
	if err != nil {
		return nil, err
	}
	kept := append([]rule(nil), g.Ingress...)
	for _, r := range rules {
		n := (&securityGroup{Ingress: kept}).index(r)
		if n < 0 {
			return nil, fail("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
		}
		kept = append(kept[:n], kept[n+1:]...)
	}
	g.Ingress = kept
	return &done{Return: true}, nil
}

// String returns the rule as EC2's messages write it.
func (r rule) String() string {
	peer := r.CIDR + r.CIDRv6 + r.Prefix + r.Group
	if r.Protocol == "-1" {
		return "peer: " + peer + ", ALL, ALLOW"
	}
	return fmt.Sprintf("peer: %s, %s, from port: %d, to port: %d, ALLOW", peer, strings.ToUpper(r.Protocol), r.From, r.To)
}
