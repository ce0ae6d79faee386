package checks

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

// pair is a Node with its instance.
type pair struct {
	node     downstream.Node
	zone, id string // of the ProviderID; it may name no zone
	instance cloud.Instance
	found    bool
	shared   bool // another Node has the same instance in its ProviderID
}

// sure says whether all that was seen agrees that the instance is the Node's: it
// is alive, in the zone of the ProviderID where that names one, has the Node's
// addresses, and is no other Node's. A command may only name an instance, or what
// hangs on it, that is.
func (p pair) sure() bool {
	ips := p.node.InternalIPs()
	return p.found && !p.shared && p.instance.State != "" && p.instance.Alive() && p.instance.Zone != "" && p.zoneAgrees() && len(ips) > 0 && len(p.foreignIPs()) == 0
}

// zoneAgrees says whether the instance is in the zone of the ProviderID, or that
// names none.
func (p pair) zoneAgrees() bool { return p.zone == "" || p.zone == p.instance.Zone }

// regionOf is the region an instance is in; "" where neither EC2 nor its zone tells.
func regionOf(i cloud.Instance) string { return orElse(i.Region, cloud.RegionOf(i.Zone)) }

// foreignIPs are the Node's internal addresses that its instance does not have.
func (p pair) foreignIPs() []string {
	var other []string
	for _, ip := range p.node.InternalIPs() {
		if !slices.ContainsFunc(p.instance.PrivateIPs, func(have string) bool { return sameAddress(have, ip) }) {
			other = append(other, ip)
		}
	}
	return other
}

// sameAddress compares addresses and not texts: EC2 shortens those of IPv6.
func sameAddress(a, b string) bool {
	x, err := netip.ParseAddr(a)
	y, other := netip.ParseAddr(b)
	if err != nil || other != nil {
		return a == b
	}
	return x.Unmap() == y.Unmap()
}

func (p pair) object() string { return "Node " + p.node.Name + " (" + p.id + ")" }

// withAWS hands every Node that has an AWS ProviderID to judge, with its
// instance. Without a look at AWS it skips or is unknown; Nodes that EC2 was not
// asked about, or gave no answer for, are unknown and not handed on. Where none of
// all instances is found, AWSM-401 says so for all checks: it is more likely that
// the wrong place was asked than that everything is missing.
func (in Input) withAWS(judge func([]pair) []verify.Finding) []verify.Finding {
	return in.compared(func(pairs []pair) []verify.Finding {
		if noneFound(pairs) {
			return []verify.Finding{verify.Undecided("EC2 instances", fmt.Sprintf("could not look: none of %d was found (AWSM-401)", len(pairs)))}
		}
		return judge(pairs)
	})
}

// noneFound says whether instances were asked for and not one is there.
func noneFound(pairs []pair) bool {
	return len(pairs) > 0 && !slices.ContainsFunc(pairs, func(p pair) bool { return p.found })
}

// compared is withAWS for whoever can say something where no instance is found.
func (in Input) compared(judge func([]pair) []verify.Finding) []verify.Finding {
	if !in.Cloud.On {
		return verify.Skipped("AWS was not asked: " + orElse(in.Cloud.Off, "off"))
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	return verify.Judge(in.Cloud.Instances, "EC2 instances", func(instances map[string]cloud.Instance) []verify.Finding {
		pairs, missed := in.pairs(instances)
		switch {
		case len(pairs) > 0:
			return append(unasked(missed), judge(pairs)...)
		case len(missed) > 0:
			return unasked(missed)
		}
		return verify.Skipped("no node has the ProviderID of an EC2 instance")
	})
}

// pairs are the Nodes that EC2 was asked about. Of the others there is the number,
// by the reason.
func (in Input) pairs(instances map[string]cloud.Instance) (pairs []pair, missed map[string]int) {
	pairs, missed = make([]pair, 0, len(in.Nodes.Value)), map[string]int{}
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
		pairs = append(pairs, pair{node: n, zone: zone, id: id, instance: i, found: found})
	}
	claims := map[string]int{}
	for _, p := range pairs {
		claims[p.id]++
	}
	for i, p := range pairs {
		pairs[i].shared = claims[p.id] > 1
	}
	return pairs, missed
}

// withCluster is withAWS for what is told by the cluster's tag. Where no instance
// has one, there is nothing to hold anything against.
func (in Input) withCluster(judge func(pairs []pair, id string) []verify.Finding) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		id := cluster(pairs)
		planes, _ := tagsOfMachines(pairs)
		if ids := cloud.PlaneClusters(planes); len(ids) > 1 {
			return []verify.Finding{verify.Undecided("control planes", "they are tagged for "+strings.Join(ids, " and for ")+" (AWSM-406): which cluster this is cannot be told")}
		}
		if id == "" {
			return verify.Skipped("no instance is tagged for a cluster (AWSM-406), so there is nothing to look for")
		}
		return judge(pairs, id)
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

// there says whether there is a machine behind the Node. Of one that was terminated
// EC2 still shows a record for an hour, without most of what it was.
func (p pair) there() bool { return p.found && p.instance.Alive() }

// silent says that EC2's answer had no word about something that every instance has:
// an empty one is neither good nor bad.
func (p pair) silent(what string) []verify.Finding {
	return []verify.Finding{verify.Undecided(p.object(), "EC2's answer does not say "+what)}
}

// eachInstance judges every pair whose instance is there; AWSM-401 and AWSM-402
// have the others.
func eachInstance(in Input, judge func(pair) []verify.Finding) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		var out []verify.Finding
		for _, p := range pairs {
			if p.there() {
				out = append(out, judge(p)...)
			}
		}
		return out
	})
}

// cluster is the id that the instances are tagged for, see cloud.ClusterOf.
func cluster(pairs []pair) string {
	return cloud.ClusterOf(tagsOfMachines(pairs))
}

// tagsOfMachines are the tags of the control planes' instances and of all.
func tagsOfMachines(pairs []pair) (planes, all []cloud.Tags) {
	for _, p := range pairs {
		if !p.there() {
			continue
		}
		all = append(all, p.instance.Tags)
		if p.node.ControlPlane() {
			planes = append(planes, p.instance.Tags)
		}
	}
	return planes, all
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
