package aws

import (
	"slices"
	"strings"
)

// The states of an instance's metadata service.
const (
	EndpointEnabled  = "enabled"
	EndpointDisabled = "disabled"
)

type metadataOptionsReply struct {
	reply
	Instance string       `xml:"instanceId"`
	Options  metadataItem `xml:"instanceMetadataOptions"`
}

func metadataOptions(i *Instance, state string) metadataItem {
	return metadataItem{
		State: state, Tokens: i.HTTPTokens, HopLimit: i.HopLimit, Endpoint: i.HTTPEndpoint,
		IPv6: EndpointDisabled, Tags: EndpointDisabled,
	}
}

// modifyInstanceMetadataOptions changes the given options and keeps the others. EC2 answers
// "pending" and applies them a moment later.
func modifyInstanceMetadataOptions(c *Cloud, q *call) (any, error) {
	id := q.str("InstanceId")
	if id == "" {
		return nil, missingParameter("InstanceId")
	}
	i, ok := c.instances.get(id)
	if !ok {
		return nil, instanceID(id)
	}
	if i.State != StateRunning && i.State != StateStopped {
		return nil, fail("IncorrectInstanceState", "The instance '%s' is %s; wanted running or stopped", id, i.State)
	}
	for _, name := range []string{"HttpProtocolIpv6", "InstanceMetadataTags"} {
		if q.has(name) {
			return nil, fail("UnsupportedOperation", "The metadata service here has no %s", name)
		}
	}
	next := *i
	if err := q.choice(&next.HTTPTokens, "HttpTokens", "optional", "required"); err != nil {
		return nil, err
	}
	if err := q.choice(&next.HTTPEndpoint, "HttpEndpoint", EndpointEnabled, EndpointDisabled); err != nil {
		return nil, err
	}
	if q.has("HttpPutResponseHopLimit") {
		hops, err := q.number("HttpPutResponseHopLimit")
		if err != nil {
			return nil, err
		}
		if hops < 1 || hops > 64 {
			return nil, invalidValue("Value (%d) for parameter HttpPutResponseHopLimit is invalid. Expecting a value between 1 and 64.", hops)
		}
		next.HopLimit = hops
	}
	*i = next
	return &metadataOptionsReply{Instance: id, Options: metadataOptions(i, "pending")}, nil
}

// choice reads an optional parameter that must have one of these values.
func (p *params) choice(into *string, name string, allowed ...string) error {
	if !p.has(name) {
		return nil
	}
	if value := p.str(name); !slices.Contains(allowed, value) {
		return invalidValue("Value (%s) for parameter %s is invalid. Valid values are %s.", value, name, strings.Join(allowed, ", "))
	}
	*into = p.str(name)
	return nil
}
