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

// words keeps one copy of what repeats on every instance: zones, subnets, groups,
// tags. What it hands out is shared and must not be written to.
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

// clusterTags are the tags that tie to a cluster; of the others none is judged.
func (w *words) clusterTags(list []types.Tag) cloud.Tags {
	var kept []string
	for _, t := range list {
		key := awssdk.ToString(t.Key)
		if strings.HasPrefix(key, cloud.TagCluster) || key == cloud.TagLegacy {
			kept = append(kept, key, awssdk.ToString(t.Value))
		}
	}
	same := strings.Join(kept, "\x00")
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := w.sets[same]; ok {
		return have
	}
	out := cloud.Tags{}
	for i := 0; i < len(kept); i += 2 {
		out[kept[i]] = kept[i+1]
	}
	w.sets[same] = out
	return out
}

func (w *words) groups(list []types.GroupIdentifier) []string {
	ids := make([]string, 0, len(list))
	for _, g := range list {
		ids = append(ids, awssdk.ToString(g.GroupId))
	}
	same := strings.Join(ids, "\x00")
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := w.list[same]; ok {
		return have
	}
	w.list[same] = ids
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
		if m.HttpEndpoint != "" { // else it may answer nobody, with a token or without
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
