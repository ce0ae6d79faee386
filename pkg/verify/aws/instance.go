package aws

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// words keeps one copy of texts that repeat on many instances: zones, subnets, groups, tags. Callers
// must not change what it returns.
type words struct {
	mu   sync.Mutex
	text map[string]string
	sets map[string]cloud.Tags
	list map[string][]string
}

func newWords() *words {
	return &words{text: map[string]string{}, sets: map[string]cloud.Tags{}, list: map[string][]string{}}
}

func (w *words) get(s *string) string {
	v := awssdk.ToString(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := w.text[v]; ok {
		return have
	}
	w.text[v] = v
	return v
}

// clusterTags returns the tags that belong to clusters. No check uses the others.
func (w *words) clusterTags(list []types.Tag) cloud.Tags {
	var pairs []string
	for _, t := range list {
		key := awssdk.ToString(t.Key)
		if strings.HasPrefix(key, cloud.TagCluster) || key == cloud.TagLegacy {
			pairs = append(pairs, key, awssdk.ToString(t.Value))
		}
	}
	key := strings.Join(pairs, "\x00")
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := w.sets[key]; ok {
		return have
	}
	out := cloud.Tags{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	w.sets[key] = out
	return out
}

func (w *words) groups(list []types.GroupIdentifier) []string {
	ids := make([]string, 0, len(list))
	for _, g := range list {
		ids = append(ids, awssdk.ToString(g.GroupId))
	}
	key := strings.Join(ids, "\x00")
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := w.list[key]; ok {
		return have
	}
	w.list[key] = ids
	return ids
}

func (w *words) instance(i types.Instance) cloud.Instance {
	out := cloud.Instance{
		ID: awssdk.ToString(i.InstanceId), PrivateDNSName: awssdk.ToString(i.PrivateDnsName), Tags: w.clusterTags(i.Tags),
		VPC: w.get(i.VpcId), Subnet: w.get(i.SubnetId), SecurityGroups: w.groups(i.SecurityGroups),
		Launched: awssdk.ToTime(i.LaunchTime), PrivateIPs: addresses(i), Interfaces: len(i.NetworkInterfaces),
	}
	if i.State != nil {
		out.State = string(i.State.Name)
	}
	if i.Placement != nil {
		out.Zone = w.get(i.Placement.AvailabilityZone)
	}
	if m := i.MetadataOptions; m != nil {
		out.HopLimit = int(awssdk.ToInt32(m.HttpPutResponseHopLimit))
		out.MetadataDisabled = m.HttpEndpoint == types.InstanceMetadataEndpointStateDisabled
		if m.HttpEndpoint != "" { // otherwise the metadata service may be disabled
			out.HTTPTokens = string(m.HttpTokens)
		}
	}
	if i.IamInstanceProfile != nil {
		out.InstanceProfile = cmp.Or(w.get(i.IamInstanceProfile.Arn), cloud.Nameless)
	}
	return out
}

func addresses(i types.Instance) []string {
	var ips []string
	add := func(ip *string) {
		if s := awssdk.ToString(ip); s != "" && !slices.Contains(ips, s) {
			ips = append(ips, s)
		}
	}
	add(i.PrivateIpAddress)
	for _, n := range i.NetworkInterfaces {
		for _, a := range n.PrivateIpAddresses {
			add(a.PrivateIpAddress)
		}
		for _, a := range n.Ipv6Addresses {
			add(a.Ipv6Address)
		}
	}
	return ips
}

func tags(list []types.Tag) cloud.Tags {
	out := cloud.Tags{}
	for _, t := range list {
		out[awssdk.ToString(t.Key)] = awssdk.ToString(t.Value)
	}
	return out
}
