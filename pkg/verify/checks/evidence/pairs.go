package evidence

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Pair is a Node with its instance.
type Pair struct {
	Node     downstream.Node
	Zone, ID string // of the ProviderID; it may name no zone
	Instance cloud.Instance
	Found    bool
	Shared   bool // another Node has the same instance in its ProviderID
}

// Sure says whether all that was seen agrees that the instance is the Node's: it
// is alive, in the zone of the ProviderID where that names one, has the Node's
// addresses, and is no other Node's. A command may only name an instance, or what
// hangs on it, that is.
func (p Pair) Sure() bool {
	ips := p.Node.InternalIPs()
	return p.Found && !p.Shared && p.Instance.State != "" && p.Instance.Alive() && p.Instance.Zone != "" && p.ZoneAgrees() && len(ips) > 0 && len(p.ForeignIPs()) == 0
}

// ZoneAgrees says whether the instance is in the zone of the ProviderID, or that
// names none.
func (p Pair) ZoneAgrees() bool { return p.Zone == "" || p.Zone == p.Instance.Zone }

// RegionOf is the region an instance is in; "" where neither EC2 nor its zone tells.
func RegionOf(i cloud.Instance) string { return OrElse(i.Region, cloud.RegionOf(i.Zone)) }

// ForeignIPs are the Node's internal addresses that its instance does not have.
func (p Pair) ForeignIPs() []string {
	var other []string
	for _, ip := range p.Node.InternalIPs() {
		if !slices.ContainsFunc(p.Instance.PrivateIPs, func(have string) bool { return SameAddress(have, ip) }) {
			other = append(other, ip)
		}
	}
	return other
}

// SameAddress compares addresses and not texts: EC2 shortens those of IPv6.
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

// WithAWS hands every Node that has an AWS ProviderID to judge, with its
// instance. Without a look at AWS it skips or is unknown; Nodes that EC2 was not
// asked about, or gave no answer for, are unknown and not handed on. Where none of
// all instances is found, AWSM-401 says so for all checks: it is more likely that
// the wrong place was asked than that everything is missing.
func (in Input) WithAWS(judge func([]Pair) []verify.Finding) []verify.Finding {
	return in.Compared(func(pairs []Pair) []verify.Finding {
		if NoneFound(pairs) {
			return []verify.Finding{verify.Undecided("EC2 instances", fmt.Sprintf("could not look: none of %d was found (AWSM-401)", len(pairs)))}
		}
		return judge(pairs)
	})
}

// NoneFound says whether instances were asked for and not one is there.
func NoneFound(pairs []Pair) bool {
	return len(pairs) > 0 && !slices.ContainsFunc(pairs, func(p Pair) bool { return p.Found })
}

// Compared is WithAWS for whoever can say something where no instance is found.
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

// Pairs are the Nodes that EC2 was asked about. Of the others there is the number,
// by the reason.
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

// WithCluster is WithAWS for what is told by the cluster's id: the cloud config's, or
// else the instances' tag. Where neither says one, there is nothing to hold anything
// against. A cloud config that could not be read leaves open what judge does not like.
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

// unasked says of how many Nodes nothing is known, for each reason.
func unasked(missed map[string]int) []verify.Finding {
	var out []verify.Finding
	for _, why := range slices.Sorted(maps.Keys(missed)) {
		out = append(out, verify.Undecided(fmt.Sprintf("%d nodes", missed[why]), "could not look: "+why))
	}
	return out
}

// There says whether there is a machine behind the Node. Of one that was terminated
// EC2 still shows a record for an hour, without most of what it was.
func (p Pair) There() bool { return p.Found && p.Instance.Alive() }

// Silent says that EC2's answer had no word about something that every instance has:
// an empty one is neither good nor bad.
func (p Pair) Silent(what string) []verify.Finding {
	return []verify.Finding{verify.Undecided(p.Object(), "EC2's answer does not say "+what)}
}

// EachInstance judges every pair whose instance is there; AWSM-401 and AWSM-402
// have the others.
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

// ClusterID is the id that the instances are tagged for, see cloud.ClusterOf.
func ClusterID(pairs []Pair) string {
	return cloud.ClusterOf(tagsOfMachines(pairs))
}

// tagsOfMachines are the tags of the control planes' instances and of all.
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
