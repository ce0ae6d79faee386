package evidence

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Pair holds a Node and its instance.
type Pair struct {
	Node     downstream.Node
	Zone, ID string // of the ProviderID; it may name no zone
	Instance cloud.Instance
	Found    bool
	Shared   bool // another Node has the same instance in its ProviderID
}

// Sure reports whether all evidence assigns the instance to the Node. The instance is alive, in
// the ProviderID's zone if it names one, has the Node's addresses, and belongs to no other Node.
// A command may name an instance, or what depends on it, only if Sure holds.
func (p Pair) Sure() bool {
	ips := p.Node.InternalIPs()
	return p.Found && !p.Shared && p.Instance.State != "" && p.Instance.Alive() && p.Instance.Zone != "" && p.ZoneAgrees() && len(ips) > 0 && len(p.ForeignIPs()) == 0
}

// ZoneAgrees reports whether the instance is in the ProviderID's zone, or the ProviderID names
// none.
func (p Pair) ZoneAgrees() bool { return p.Zone == "" || p.Zone == p.Instance.Zone }

// RegionOf returns the instance's region, or "" if neither EC2 nor its zone shows it.
func RegionOf(i cloud.Instance) string { return OrElse(i.Region, cloud.RegionOf(i.Zone)) }

// ForeignIPs returns the Node's internal addresses that its instance does not have.
func (p Pair) ForeignIPs() []string {
	var other []string
	for _, ip := range p.Node.InternalIPs() {
		if !slices.ContainsFunc(p.Instance.PrivateIPs, func(have string) bool { return SameAddress(have, ip) }) {
			other = append(other, ip)
		}
	}
	return other
}

// SameAddress compares addresses, not texts: EC2 shortens those of IPv6.
func SameAddress(a, b string) bool {
	x, err := netip.ParseAddr(a)
	y, other := netip.ParseAddr(b)
	if err != nil || other != nil {
		return a == b
	}
	return x.Unmap() == y.Unmap()
}

// Object names the Node and its instance, for a finding.
func (p Pair) Object() string { return "Node " + p.Node.Name + " (" + p.ID + ")" }

// WithAWS passes every Node with an AWS ProviderID to judge, with its instance. Without data from
// AWS the check skips or is Unknown. Nodes that EC2 was not asked about, or did not answer for,
// are Unknown and not passed on. If no instance at all is found, AWSM-401 reports it for all
// checks: a wrong account or region is more likely than a complete loss.
func (in Input) WithAWS(judge func([]Pair) []verify.Finding) []verify.Finding {
	return in.Compared(func(pairs []Pair) []verify.Finding {
		if NoneFound(pairs) {
			return []verify.Finding{verify.Undecided("EC2 instances", fmt.Sprintf("could not look: none of %d was found (AWSM-401)", len(pairs)))}
		}
		return judge(pairs)
	})
}

// NoneFound reports whether instances were requested and none of them exists.
func NoneFound(pairs []Pair) bool {
	return len(pairs) > 0 && !slices.ContainsFunc(pairs, func(p Pair) bool { return p.Found })
}

// Compared is WithAWS for checks that can also judge if no instance is found.
func (in Input) Compared(judge func([]Pair) []verify.Finding) []verify.Finding {
	if !in.Cloud.On {
		return verify.Skipped("AWS was not asked: " + OrElse(in.Cloud.Off, "off"))
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	return verify.Judge(in.Cloud.Instances, "EC2 instances", func(instances map[string]cloud.Instance) []verify.Finding {
		pairs, missed := in.Pairs(instances)
		switch {
		case len(pairs) > 0:
			return append(unasked(missed), judge(pairs)...)
		case len(missed) > 0:
			return unasked(missed)
		}
		return verify.Skipped("no node has the ProviderID of an EC2 instance")
	})
}

// Pairs returns the Nodes that EC2 was asked about, and the number of the others by reason.
func (in Input) Pairs(instances map[string]cloud.Instance) (pairs []Pair, missed map[string]int) {
	pairs, missed = make([]Pair, 0, len(in.Nodes.Value)), map[string]int{}
	for _, n := range in.Nodes.Value {
		zone, id, ok := downstream.ParseProviderID(n.ProviderID)
		if !ok {
			continue // AWSM-301
		}
		i, found := instances[id]
		if why := in.Cloud.MissedIn(zone); !found && why != "" {
			missed[why]++
			continue
		}
		pairs = append(pairs, Pair{Node: n, Zone: zone, ID: id, Instance: i, Found: found})
	}
	claims := map[string]int{}
	for _, p := range pairs {
		claims[p.ID]++
	}
	for i, p := range pairs {
		pairs[i].Shared = claims[p.ID] > 1
	}
	return pairs, missed
}

// WithCluster is WithAWS for checks that compare with the cluster's id: the cloud config's, or
// else that of the instances' tags. Without an id there is nothing to compare with. If the cloud
// config could not be read, failures are Unknown.
func (in Input) WithCluster(judge func(pairs []Pair, id string) []verify.Finding) []verify.Finding {
	config, unread := in.Overrides()
	if id := config.Cluster(); id != "" {
		return in.WithAWS(func(pairs []Pair) []verify.Finding { return judge(pairs, id) })
	}
	return in.WithAWS(func(pairs []Pair) []verify.Finding {
		id := ClusterID(pairs)
		planes, _ := tagsOfMachines(pairs)
		if ids := cloud.PlaneClusters(planes); len(ids) > 1 {
			return []verify.Finding{verify.Undecided("control planes", "they are tagged for "+strings.Join(ids, " and for ")+" (AWSM-406): which cluster this is remains unknown")}
		}
		switch {
		case id == "" && unread != "":
			return []verify.Finding{NoCluster(unread)}
		case id == "":
			return verify.Skipped("no instance is tagged for a cluster (AWSM-406), so there is nothing to look for")
		}
		return in.Hedged(judge(pairs, id))
	})
}

// unasked returns a finding for each reason, with the number of its Nodes.
func unasked(missed map[string]int) []verify.Finding {
	var out []verify.Finding
	for _, why := range slices.Sorted(maps.Keys(missed)) {
		out = append(out, verify.Undecided(fault.Count(missed[why], "node"), "could not look: "+why))
	}
	return out
}

// There reports whether the Node's machine exists. EC2 shows a terminated instance for one more
// hour, without most of its fields.
func (p Pair) There() bool { return p.Found && p.Instance.Alive() }

// Silent returns a finding that EC2's answer lacked something that every instance has: an empty
// answer proves nothing.
func (p Pair) Silent(what string) []verify.Finding {
	return []verify.Finding{verify.Undecided(p.Object(), "EC2's answer does not say "+what)}
}

// EachInstance judges every pair whose instance exists; AWSM-401 and AWSM-402 report the others.
func EachInstance(in Input, judge func(Pair) []verify.Finding) []verify.Finding {
	return in.WithAWS(func(pairs []Pair) []verify.Finding {
		var out []verify.Finding
		for _, p := range pairs {
			if p.There() {
				out = append(out, judge(p)...)
			}
		}
		return out
	})
}

// ClusterID returns the id that the instances are tagged for, see cloud.ClusterOf.
func ClusterID(pairs []Pair) string {
	return cloud.ClusterOf(tagsOfMachines(pairs))
}

// tagsOfMachines returns the tags of the control planes' instances, and of all instances.
func tagsOfMachines(pairs []Pair) (planes, all []cloud.Tags) {
	for _, p := range pairs {
		if !p.There() {
			continue
		}
		all = append(all, p.Instance.Tags)
		if p.Node.ControlPlane() {
			planes = append(planes, p.Instance.Tags)
		}
	}
	return planes, all
}
