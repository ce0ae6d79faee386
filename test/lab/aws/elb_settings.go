package aws

import (
	"slices"
	"strings"
)

// classicAttributes are the attributes of a classic load balancer. AWS also returns default
// values for the draining timeout and the desync mode. The cloud provider compares all
// attributes, so it writes its own at every sync.
type classicAttributes struct {
	CrossZone  crossZone     `xml:"CrossZoneLoadBalancing"`
	AccessLog  accessLog     `xml:"AccessLog"`
	Draining   draining      `xml:"ConnectionDraining"`
	Connection connection    `xml:"ConnectionSettings"`
	Additional []keyAndValue `xml:"AdditionalAttributes>member"`
}

type crossZone struct{ Enabled bool }

type accessLog struct {
	Enabled      bool
	S3BucketName string `xml:",omitempty"`
	EmitInterval int    `xml:",omitempty"`
	Prefix       string `xml:"S3BucketPrefix,omitempty"`
}

type draining struct {
	Enabled bool
	Timeout int
}

type connection struct{ IdleTimeout int }

type keyAndValue struct {
	Key   string
	Value string
}

func defaultClassicAttributes() classicAttributes {
	return classicAttributes{
		Draining:   draining{Timeout: 300},
		Connection: connection{IdleTimeout: 60},
		Additional: []keyAndValue{{Key: "elb.http.desyncmitigationmode", Value: "defensive"}},
	}
}

type classicAttributesResult struct {
	Name       string            `xml:"LoadBalancerName,omitempty"`
	Attributes classicAttributes `xml:"LoadBalancerAttributes"`
}

func describeClassicAttributes(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	return classicAttributesResult{Attributes: lb.Attributes}, nil
}

func modifyClassicAttributes(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	next := lb.Attributes
	given := q.lookup("LoadBalancerAttributes")
	if given.has("CrossZoneLoadBalancing", "Enabled") {
		next.CrossZone.Enabled = given.flag("CrossZoneLoadBalancing", "Enabled")
	}
	if given.has("AccessLog", "Enabled") {
		log := given.lookup("AccessLog")
		next.AccessLog = accessLog{Enabled: log.flag("Enabled"), S3BucketName: log.str("S3BucketName"), Prefix: log.str("S3BucketPrefix")}
		if next.AccessLog.EmitInterval, err = log.number("EmitInterval"); err != nil {
			return nil, err
		}
	}
	if given.has("ConnectionDraining", "Enabled") {
		next.Draining.Enabled = given.flag("ConnectionDraining", "Enabled")
	}
	if given.has("ConnectionDraining", "Timeout") {
		if next.Draining.Timeout, err = given.number("ConnectionDraining", "Timeout"); err != nil {
			return nil, err
		}
	}
	if given.has("ConnectionSettings", "IdleTimeout") {
		if next.Connection.IdleTimeout, err = given.number("ConnectionSettings", "IdleTimeout"); err != nil {
			return nil, err
		}
	}
	for _, item := range given.items("AdditionalAttributes") {
		next.Additional = withKey(next.Additional, item.str("Key"), item.str("Value"))
	}
	lb.Attributes = next
	return classicAttributesResult{Name: lb.Name, Attributes: next}, nil
}

// withKey returns a copy in which one key has the value.
func withKey(pairs []keyAndValue, key, value string) []keyAndValue {
	out := slices.Clone(pairs)
	for n := range out {
		if out[n].Key == key {
			out[n].Value = value
			return out
		}
	}
	return append(out, keyAndValue{Key: key, Value: value})
}

type healthCheckResult struct {
	HealthCheck healthCheck
}

func configureHealthCheck(c *Cloud, q *call) (any, error) {
	lb, err := c.classicOf(q)
	if err != nil {
		return nil, err
	}
	given := q.lookup("HealthCheck")
	next := healthCheck{Target: given.str("Target")}
	if !strings.Contains(next.Target, ":") {
		return nil, fail("ValidationError", "HealthCheck target %q must be PROTOCOL:PORT[/path]", next.Target)
	}
	for name, field := range map[string]*int{
		"Interval": &next.Interval, "Timeout": &next.Timeout,
		"HealthyThreshold": &next.HealthyThreshold, "UnhealthyThreshold": &next.UnhealthyThreshold,
	} {
		if *field, err = given.number(name); err != nil {
			return nil, err
		}
		if *field <= 0 {
			return nil, fail("ValidationError", "HealthCheck %s must be positive", name)
		}
	}
	if next.Timeout >= next.Interval {
		return nil, fail("ValidationError", "HealthCheck timeout must be less than interval")
	}
	lb.HealthCheck = next
	return healthCheckResult{HealthCheck: next}, nil
}
