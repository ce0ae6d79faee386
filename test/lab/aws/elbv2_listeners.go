package aws

import (
	"slices"
)

type networkListener struct {
	ARN, Balancer string
	Protocol      string
	Port          int
	TargetGroup   string // ARN
	Certificate   string
	SSLPolicy     string
}

type listenersResult struct {
	Listeners  []networkListenerItem `xml:"Listeners>member"`
	NextMarker string                `xml:",omitempty"`
}

type networkListenerItem struct {
	ARN          string `xml:"ListenerArn"`
	Balancer     string `xml:"LoadBalancerArn"`
	Port         int
	Protocol     string
	Certificates []certificateItem `xml:"Certificates>member"`
	SSLPolicy    string            `xml:"SslPolicy,omitempty"`
	Actions      []actionItem      `xml:"DefaultActions>member"`
}

type certificateItem struct {
	ARN string `xml:"CertificateArn"`
}

type actionItem struct {
	Type        string
	TargetGroup string `xml:"TargetGroupArn"`
}

func (l *networkListener) item() networkListenerItem {
	out := networkListenerItem{
		ARN: l.ARN, Balancer: l.Balancer, Port: l.Port, Protocol: l.Protocol, SSLPolicy: l.SSLPolicy,
		Actions: []actionItem{{Type: "forward", TargetGroup: l.TargetGroup}},
	}
	if l.Certificate != "" {
		out.Certificates = []certificateItem{{ARN: l.Certificate}}
	}
	return out
}

func (c *Cloud) listenerOf(arn string) (*networkBalancer, *networkListener, error) {
	for _, lb := range c.balancers.all() {
		for _, l := range lb.Listeners {
			if l.ARN == arn {
				return lb, l, nil
			}
		}
	}
	return nil, nil, fail("ListenerNotFound", "One or more listeners not found: '%s'", arn)
}

func describeListeners(c *Cloud, q *call) (any, error) {
	var out listenersResult
	if arns := q.list("ListenerArns"); len(arns) > 0 {
		for _, arn := range arns {
			_, l, err := c.listenerOf(arn)
			if err != nil {
				return nil, err
			}
			out.Listeners = append(out.Listeners, l.item())
		}
		return out, nil
	}
	lb, err := c.networkOf(q)
	if err != nil {
		return nil, err
	}
	p, err := markerPager(q)
	if err != nil {
		return nil, err
	}
	listeners := newStore[*networkListener]()
	for _, l := range lb.Listeners {
		listeners.put(l.ARN, l)
	}
	found, next := page(listeners, q.action, p, func(string, *networkListener) bool { return true })
	for _, l := range found {
		out.Listeners = append(out.Listeners, l.item())
	}
	out.NextMarker = next
	return out, nil
}

func createListener(c *Cloud, q *call) (any, error) {
	lb, err := c.networkOf(q)
	if err != nil {
		return nil, err
	}
	l := &networkListener{Balancer: lb.ARN}
	if err := c.fillListener(lb, l, q); err != nil {
		return nil, err
	}
	if l.TargetGroup == "" {
		return nil, fail("ValidationError", "DefaultActions must forward to a target group")
	}
	l.ARN = c.arn("listener/" + lb.ARN[len(c.arn("loadbalancer/")):] + "/" + c.suffix())
	lb.Listeners = append(lb.Listeners, l)
	c.tags.add(l.ARN, tagParams(q.items("Tags")))
	return listenersResult{Listeners: []networkListenerItem{l.item()}}, nil
}

func modifyListener(c *Cloud, q *call) (any, error) {
	lb, l, err := c.listenerOf(q.str("ListenerArn"))
	if err != nil {
		return nil, err
	}
	next := *l
	if err := c.fillListener(lb, &next, q); err != nil {
		return nil, err
	}
	*l = next
	return listenersResult{Listeners: []networkListenerItem{l.item()}}, nil
}

// fillListener applies the parameters of a call to a listener of lb. AWS refuses a second
// listener on one port, because a client could not distinguish them.
func (c *Cloud) fillListener(lb *networkBalancer, l *networkListener, q *call) error {
	if q.has("Port") {
		port, err := q.number("Port")
		if err != nil {
			return err
		}
		l.Port = port
	}
	if q.has("Protocol") {
		l.Protocol = q.str("Protocol")
	}
	if l.Port < 1 || l.Port > 65535 || !slices.Contains([]string{"TCP", "UDP", "TCP_UDP", "TLS"}, l.Protocol) {
		return fail("ValidationError", "A network load balancer cannot listen on %s port %d", l.Protocol, l.Port)
	}
	for _, other := range lb.Listeners {
		if other.ARN != l.ARN && other.Port == l.Port {
			return fail("DuplicateListener", "A listener already exists on this port for this load balancer '%s'", lb.ARN)
		}
	}
	for _, item := range q.items("DefaultActions") {
		l.TargetGroup = item.str("TargetGroupArn")
		if !c.targetGroups.has(l.TargetGroup) {
			return noTargetGroup(l.TargetGroup)
		}
	}
	if l.Protocol != "TLS" {
		l.Certificate, l.SSLPolicy = "", ""
		return nil
	}
	for _, item := range q.items("Certificates") {
		l.Certificate = item.str("CertificateArn")
	}
	if q.has("SslPolicy") {
		l.SSLPolicy = q.str("SslPolicy")
	}
	return nil
}

func deleteListener(c *Cloud, q *call) (any, error) {
	lb, gone, err := c.listenerOf(q.str("ListenerArn"))
	if err != nil {
		return nil, err
	}
	lb.Listeners = slices.DeleteFunc(lb.Listeners, func(l *networkListener) bool { return l == gone })
	delete(c.tags, gone.ARN)
	return empty{}, nil
}
