package awschecks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// joinTimeout limits how long an instance may run without a Node.
const joinTimeout = 15 * time.Minute

// everyInstanceHasNode finds machines that the cluster no longer lists as Nodes.
func everyInstanceHasNode(in evidence.Input) []verify.Finding {
	return in.WithCluster(func(pairs []evidence.Pair, id string) []verify.Finding {
		if tagged := evidence.ClusterID(pairs); tagged != id { // EC2 was asked by the instances' tag
			return verify.Skipped("EC2 was not asked for instances of cluster " + id + " of the cloud config: those of the nodes are tagged for " + evidence.OrElse(tagged, "none"))
		}
		return verify.Judge(in.Cloud.Unclaimed, "EC2 instances tagged "+cloud.TagCluster+id, func(unclaimed []cloud.Instance) []verify.Finding {
			networks, another := vpcs(pairs), false
			var out []verify.Finding
			for _, i := range unclaimed {
				switch {
				case i.State == "":
					out = append(out, unsaid(i, "in which state it is"))
				case !settledState(i.State):
				case i.VPC == "":
					out = append(out, unsaid(i, "in which VPC it is"))
				case networks[i.VPC] != 0:
					out = append(out, lostMachine(in, i, id, settledNodes(in, pairs)))
				default:
					another = true // another VPC's, if those of all nodes are known
				}
			}
			if another {
				out = append(out, withoutVPC(pairs)...)
			}
			return out
		})
	})
}

// unsaid returns no finding for an instance without a Node.
func unsaid(i cloud.Instance, what string) verify.Finding {
	return verify.Undecided("instance "+i.ID, "EC2's answer does not say "+what)
}

// withoutVPC returns findings for Nodes' instances whose VPC EC2 did not report.
func withoutVPC(pairs []evidence.Pair) []verify.Finding {
	var out []verify.Finding
	for _, p := range pairs {
		if p.There() && p.Instance.VPC == "" {
			out = append(out, p.Silent("in which VPC it is")...)
		}
	}
	return out
}

// settledState excludes instances that are starting or gone.
func settledState(state string) bool {
	return state == "running" || state == "stopped" || state == "stopping"
}

// settledNodes reports whether every Node's instance is certain.
func settledNodes(in evidence.Input, pairs []evidence.Pair) bool {
	return len(pairs) == len(in.Nodes.Value) && !slices.ContainsFunc(pairs, func(p evidence.Pair) bool { return !p.Sure() })
}

// standsFor returns the Node that has the instance's name or one of its addresses, although its
// ProviderID names another instance or none.
func standsFor(in evidence.Input, i cloud.Instance) (name, what string) {
	for _, n := range in.Nodes.Value {
		named := strings.EqualFold(n.Name, i.PrivateDNSName) || strings.EqualFold(n.Name, shortName(i.PrivateDNSName))
		addressed := slices.ContainsFunc(n.InternalIPs(), func(ip string) bool {
			return slices.ContainsFunc(i.PrivateIPs, func(have string) bool { return evidence.SameAddress(have, ip) })
		})
		switch {
		case n.Name != "" && named && addressed:
			return n.Name, "its name and address"
		case n.Name != "" && named:
			return n.Name, "its name"
		case addressed:
			return n.Name, "its address"
		}
	}
	return "", ""
}

func shortName(dns string) string {
	name, _, _ := strings.Cut(dns, ".")
	return name
}

func lostMachine(in evidence.Input, i cloud.Instance, cluster string, settled bool) verify.Finding {
	object := "instance " + i.ID
	if node, what := standsFor(in, i); node != "" {
		return verify.Warning(object, fmt.Sprintf("%s; Node %s has %s, but another ProviderID", i.State, node, what), "the Node's ProviderID names it",
			"keep the instance and its tags: the ProviderID is wrong (AWSM-301, AWSM-401)")
	}
	if i.Launched.IsZero() {
		return unsaid(i, "since when it runs")
	}
	if age := in.ServerClock.Sub(i.Launched); i.State == "running" && !in.ServerClock.IsZero() && age < joinTimeout {
		return verify.Notice(object, "was launched less than 15 minutes ago and has no Node yet")
	}
	fix := "find out what the machine is, once every Node is known to have its own instance (AWSM-301, AWSM-401 to AWSM-405)"
	if settled {
		fix = "find out what the machine is; if it does not belong to the cluster" + deleteTags(i, cluster)
	}
	return verify.Warning(object, i.State+", "+evidence.OrElse(i.PrivateDNSName, "private DNS name not said")+", and no Node", "a Node, or no tag "+strings.Join(tagsOf(i, cluster), ", "), fix)
}

func vpcs(pairs []evidence.Pair) map[string]int {
	count := map[string]int{}
	for _, p := range pairs {
		if p.There() && p.Instance.VPC != "" {
			count[p.Instance.VPC]++
		}
	}
	return count
}

// onePlace finds nodes that a CCM cannot see, because it asks one region and works in one VPC:
// those of its own instance, or of the cloud config.
func onePlace(in evidence.Input) []verify.Finding {
	config, _ := in.Overrides()
	return in.Hedged(in.WithAWS(func(pairs []evidence.Pair) []verify.Finding {
		regions := map[string]int{}
		out := withoutVPC(pairs)
		for _, p := range pairs {
			switch region := evidence.RegionOf(p.Instance); {
			case !p.There(): // AWSM-401 and AWSM-402
			case region == "":
				out = append(out, p.Silent("in which region it is")...)
			default:
				regions[region]++
			}
		}
		inside := slices.DeleteFunc(slices.Clone(pairs), func(p evidence.Pair) bool { return outside(config, p) })
		out = append(out, elsewhere("region", regions, config.Asks())...)
		out = append(out, elsewhere("VPC", vpcs(inside), config.Place())...)
		slices.SortFunc(out, func(a, b verify.Finding) int { return strings.Compare(a.Wanted, b.Wanted) })
		return out
	}))
}

// elsewhere judges whether all nodes are in one place: the one that the cloud config gives, or
// any.
func elsewhere(what string, count map[string]int, given string) []verify.Finding {
	switch {
	case given != "" && (len(count) > 1 || len(count) == 1 && count[given] == 0):
		return []verify.Finding{verify.Warning("nodes", "in "+evidence.Spread(count)+", and the cloud config limits the CCM to "+given, what+" "+given+" for all nodes", "move the nodes there, or correct the cloud config")}
	case len(count) > 1:
		return []verify.Finding{verify.Warning("nodes", "in "+evidence.Spread(count), "one of the "+what+"s for all nodes", "")}
	}
	return nil
}
