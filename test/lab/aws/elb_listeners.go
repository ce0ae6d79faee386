package aws

import (
	"cmp"
	"slices"
	"strings"
)

func parseListeners(items []*params) ([]*classicListener, error) {
	var out []*classicListener
	for _, item := range items {
		l := &classicListener{
			Protocol:    strings.ToUpper(item.str("Protocol")),
			Certificate: item.str("SSLCertificateId"),
		}
		l.InstanceProtocol = strings.ToUpper(cmp.Or(item.str("InstanceProtocol"), l.Protocol))
		var err error
		if l.Port, err = item.number("LoadBalancerPort"); err != nil {
			return nil, err
		}
		if l.InstancePort, err = item.number("InstancePort"); err != nil {
			return nil, err
		}
		if !slices.Contains([]string{"TCP", "HTTP", "SSL", "HTTPS"}, l.Protocol) {
			return nil, fail("ValidationError", "Listener protocol %q must be one of TCP, HTTP, SSL, HTTPS", l.Protocol)
		}
		if l.Port < 1 || l.Port > 65535 || l.InstancePort < 1 || l.InstancePort > 65535 {
			return nil, fail("ValidationError", "Listener ports %d and %d must be between 1 and 65535", l.Port, l.InstancePort)
		}
		out = append(out, l)
	}
	return out, nil
}

func (lb *classicBalancer) listener(port int) *classicListener {
	for _, l := range lb.Listeners {
		if l.Port == port {
			return l
		}
	}
	return nil
}

func createClassicListeners(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	add, err := parseListeners(q.items("Listeners"))
	if err != nil {
		return nil, err
	}
	var fresh []*classicListener
	for _, l := range add {
		old := lb.listener(l.Port)
		if old == nil {
			fresh = append(fresh, l)
			continue
		}
		same := *old
		same.Policies = nil
		if same.Protocol != l.Protocol || same.InstanceProtocol != l.InstanceProtocol ||
			same.InstancePort != l.InstancePort || same.Certificate != l.Certificate {
			return nil, fail("DuplicateListener", "A listener already exists for %s with LoadBalancerPort %d, but with different settings", lb.Name, l.Port)
		}
	}
	lb.Listeners = append(lb.Listeners, fresh...)
	return empty{}, nil
}

// deleteClassicListeners ignores ports without a listener, as in AWS.
func deleteClassicListeners(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	ports := q.list("LoadBalancerPorts")
	lb.Listeners = slices.DeleteFunc(lb.Listeners, func(l *classicListener) bool {
		return slices.Contains(ports, itoa(l.Port))
	})
	return empty{}, nil
}

type subnetsResult struct {
	Subnets []string `xml:"Subnets>member"`
}

func attachSubnets(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	next := slices.Clone(lb.Subnets)
	for _, id := range q.list("Subnets") {
		if !slices.Contains(next, id) {
			next = append(next, id)
		}
	}
	if err := c.oneZoneEach(next); err != nil {
		return nil, err
	}
	lb.Subnets = next
	return subnetsResult{Subnets: next}, nil
}

func detachSubnets(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	gone := q.list("Subnets")
	next := slices.DeleteFunc(slices.Clone(lb.Subnets), func(id string) bool { return slices.Contains(gone, id) })
	if len(next) == 0 {
		return nil, fail("InvalidConfigurationRequest", "The load balancer %s must keep one subnet", lb.Name)
	}
	lb.Subnets = next
	return subnetsResult{Subnets: next}, nil
}

type groupsResult struct {
	Groups []string `xml:"SecurityGroups>member"`
}

// applySecurityGroups replaces all groups.
func applySecurityGroups(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	ids := q.list("SecurityGroups")
	if len(ids) == 0 {
		return nil, fail("InvalidConfigurationRequest", "The load balancer %s must have one security group", lb.Name)
	}
	if err := c.knownGroups(ids); err != nil {
		return nil, err
	}
	lb.SecurityGroups = ids
	return groupsResult{Groups: ids}, nil
}
