package aws

import (
	"reflect"
	"slices"
)

type classicPolicy struct {
	Name       string `xml:"PolicyName"`
	Type       string `xml:"PolicyTypeName"`
	Attributes []policyAttribute
}

type policyAttribute struct {
	Name  string `xml:"AttributeName"`
	Value string `xml:"AttributeValue"`
}

type policyItem struct {
	Name       string            `xml:"PolicyName"`
	Type       string            `xml:"PolicyTypeName"`
	Attributes []policyAttribute `xml:"PolicyAttributeDescriptions>member"`
}

type policiesResult struct {
	Policies []policyItem `xml:"PolicyDescriptions>member"`
}

func (lb *classicBalancer) policy(name string) *classicPolicy {
	for _, p := range lb.Policies {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// createClassicPolicy accepts the same policy twice, as AWS does, but not another one under the
// same name.
func createClassicPolicy(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	p := &classicPolicy{Name: q.str("PolicyName"), Type: q.str("PolicyTypeName")}
	if p.Name == "" || p.Type == "" {
		return nil, fail("ValidationError", "PolicyName and PolicyTypeName are required")
	}
	for _, item := range q.items("PolicyAttributes") {
		p.Attributes = append(p.Attributes, policyAttribute{Name: item.str("AttributeName"), Value: item.str("AttributeValue")})
	}
	old := lb.policy(p.Name)
	switch {
	case old == nil:
		lb.Policies = append(lb.Policies, p)
	case !reflect.DeepEqual(old, p):
		return nil, fail("DuplicatePolicyName", "Policy %s already exists with different parameters", p.Name)
	}
	return empty{}, nil
}

func describeClassicPolicies(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	names := q.list("PolicyNames")
	for _, name := range names {
		if lb.policy(name) == nil {
			return nil, noPolicy(name)
		}
	}
	var out policiesResult
	for _, p := range lb.Policies {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			out.Policies = append(out.Policies, policyItem(*p))
		}
	}
	return out, nil
}

func noPolicy(name string) error {
	return fail("PolicyNotFound", "There is no policy with name %s", name)
}

func (lb *classicBalancer) policyNames(q *call) ([]string, error) {
	names := q.list("PolicyNames")
	for _, name := range names {
		if lb.policy(name) == nil {
			return nil, noPolicy(name)
		}
	}
	return names, nil
}

func setBackendPolicies(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	port, err := q.number("InstancePort")
	if err != nil {
		return nil, err
	}
	names, err := lb.policyNames(q)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		delete(lb.Backends, port)
		return empty{}, nil
	}
	lb.Backends[port] = names
	return empty{}, nil
}

func setListenerPolicies(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	port, err := q.number("LoadBalancerPort")
	if err != nil {
		return nil, err
	}
	l := lb.listener(port)
	if l == nil {
		return nil, fail("ListenerNotFound", "There is no listener for port %d of load balancer %s", port, lb.Name)
	}
	names, err := lb.policyNames(q)
	if err != nil {
		return nil, err
	}
	l.Policies = names
	return empty{}, nil
}
