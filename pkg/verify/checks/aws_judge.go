package checks

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// pair is a Node with its instance.
type pair struct {
	node     downstream.Node
	zone, id string
	instance cloud.Instance
	found    bool
}

// withAWS hands every Node that has an AWS ProviderID to judge, with its
// instance. Without a look at AWS it skips or is unknown.
func (in Input) withAWS(judge func([]pair) []verify.Finding) []verify.Finding {
	if !in.Cloud.On {
		return verify.Skipped("AWS was not asked: " + orElse(in.Cloud.Off, "off"))
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	return verify.Judge(in.Cloud.Instances, "EC2 instances", func(instances map[string]cloud.Instance) []verify.Finding {
		var pairs []pair
		for _, n := range in.Nodes.Value {
			zone, id, ok := downstream.ParseProviderID(n.ProviderID)
			if !ok {
				continue // AWSM-301
			}
			i, found := instances[id]
			pairs = append(pairs, pair{n, zone, id, i, found})
		}
		return judge(pairs)
	})
}

// eachInstance judges every pair whose instance exists; AWSM-401 has the others.
func eachInstance(in Input, judge func(pair) []verify.Finding) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		var out []verify.Finding
		for _, p := range pairs {
			if p.found {
				out = append(out, judge(p)...)
			}
		}
		return out
	})
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func (p pair) object() string { return "Node " + p.node.Name + " (" + p.id + ")" }

func instancesExist(in Input) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		var out []verify.Finding
		for _, p := range pairs {
			if !p.found {
				out = append(out, fail(p.object(), "no such instance in "+orElse(in.Cloud.Region, "the region asked"), "an instance", ""))
			}
		}
		return out
	})
}

func instancesRun(in Input) []verify.Finding {
	return eachInstance(in, func(p pair) []verify.Finding {
		if p.instance.State == "running" {
			return nil
		}
		return []verify.Finding{fail(p.object(), "instance is "+p.instance.State, "running", "")}
	})
}

func instanceZones(in Input) []verify.Finding {
	return eachInstance(in, func(p pair) []verify.Finding {
		if p.instance.Zone == p.zone {
			return nil
		}
		return []verify.Finding{fail(p.object(), "instance in "+p.instance.Zone, "zone "+p.zone+" of the ProviderID", "")}
	})
}

func privateNames(in Input) []verify.Finding {
	return eachInstance(in, func(p pair) []verify.Finding {
		if strings.EqualFold(p.instance.PrivateDNSName, p.node.Name) {
			return nil
		}
		return []verify.Finding{warn(p.object(), "private DNS name "+p.instance.PrivateDNSName, p.node.Name, "")}
	})
}

func instanceAddresses(in Input) []verify.Finding {
	return eachInstance(in, func(p pair) []verify.Finding {
		for _, ip := range p.node.InternalIPs() {
			if slices.Contains(p.instance.PrivateIPs, ip) {
				return nil
			}
		}
		return []verify.Finding{fail(p.object(), "InternalIP "+orElse(strings.Join(p.node.InternalIPs(), ", "), "none"), "one of "+strings.Join(p.instance.PrivateIPs, ", "), "")}
	})
}

// cluster is the id that most instances are tagged for.
func cluster(pairs []pair) string {
	count := map[string]int{}
	for _, p := range pairs {
		for _, c := range p.instance.Tags.Clusters() {
			count[c]++
		}
	}
	ids := make([]string, 0, len(count))
	for id := range count {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool {
		return count[ids[i]] > count[ids[j]] || count[ids[i]] == count[ids[j]] && ids[i] < ids[j]
	})
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

func clusterTags(in Input) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		id := cluster(pairs)
		var out []verify.Finding
		for _, p := range pairs {
			have := p.instance.Tags.Clusters()
			switch {
			case !p.found || len(have) == 1 && have[0] == id:
			case len(have) == 0:
				out = append(out, fail(p.object(), "no tag "+cloud.TagCluster+"…", cloud.TagCluster+orElse(id, "CLUSTER"), ""))
			default:
				out = append(out, fail(p.object(), "tagged for "+strings.Join(have, ", "), "one cluster, the same for all nodes: "+id, ""))
			}
		}
		return out
	})
}

func securityGroups(in Input) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		return verify.Judge(in.Cloud.SecurityGroups, "security groups", func(groups map[string]cloud.Tags) []verify.Finding {
			id := cluster(pairs)
			var out []verify.Finding
			for _, p := range pairs {
				var tagged []string
				for _, g := range p.instance.SecurityGroups {
					if groups[g].Has(id) {
						tagged = append(tagged, g)
					}
				}
				if !p.found || len(tagged) == 1 || len(tagged) == 0 && len(p.instance.SecurityGroups) == 1 {
					continue
				}
				out = append(out, fail(p.object(), fmt.Sprintf("%d of its %d security groups are tagged (%s)", len(tagged), len(p.instance.SecurityGroups), orElse(strings.Join(tagged, ", "), "none")), "exactly one", ""))
			}
			return out
		})
	})
}

func subnets(in Input) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		return verify.Judge(in.Cloud.Subnets, "subnets", func(tags map[string]cloud.Tags) []verify.Finding {
			id, seen := cluster(pairs), map[string]bool{}
			var out []verify.Finding
			for _, p := range pairs {
				s := p.instance.Subnet
				if !p.found || seen[s] || tags[s].Has(id) {
					continue
				}
				seen[s] = true
				out = append(out, warn("subnet "+s, "not tagged for cluster "+id, cloud.TagCluster+id, ""))
			}
			return out
		})
	})
}

// httpTokens matters to the end state overrides, whose names come from the
// metadata service at every start of RKE2. The label proves the present name;
// the setting decides the next start and every node that joins.
func httpTokens(in Input) []verify.Finding {
	if in.EndState == External {
		return nil // names are explicit, AWSM-304 proves it
	}
	versions, err := in.versions()
	if err != nil {
		return []verify.Finding{unknown("Kubernetes", err.Error())}
	}
	if versions[0].AtLeast(1, 29) {
		return nil
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	if !in.Cloud.On {
		for _, n := range in.Nodes.Value {
			if p := NameProof(n); !p.Overrides && !p.External {
				return verify.Skipped("AWS was not asked (" + orElse(in.Cloud.Off, "off") + "), and Node " + n.Name + " has no proof of its name")
			}
		}
		return []verify.Finding{warn("instances", "HttpTokens not looked at: AWS was not asked ("+orElse(in.Cloud.Off, "off")+")", "optional; every present name is proven by its label, nodes that join later are not", "")}
	}
	return eachInstance(in, func(p pair) []verify.Finding {
		proof := NameProof(p.node)
		switch {
		case p.instance.HTTPTokens != "required" && !p.instance.MetadataDisabled, proof.External:
			return nil
		case proof.Overrides:
			return []verify.Finding{warn(p.object(), "HttpTokens=required", "optional: the name it has is proven, the next start reads hostname -f, and so does a node that joins", "")}
		}
		return []verify.Finding{fail(p.object(), "HttpTokens=required, and "+downstream.LabelHostname+"="+p.node.Labels[downstream.LabelHostname], "HttpTokens=optional", "")}
	})
}

// routesAtWork says whether a route controller maintains pod routes today: it
// leaves its reason on the node condition.
func (in Input) routesAtWork() bool {
	for _, n := range in.Nodes.Value {
		if n.Network.Reason == "RouteCreated" {
			return true
		}
	}
	return false
}

func routeTables(in Input) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		return verify.Judge(in.Cloud.RouteTables, "route tables", func(tables map[string]cloud.Tags) []verify.Finding {
			if !in.routesAtWork() && in.CloudRoutes != "on" {
				return nil
			}
			id := cluster(pairs)
			var tagged []string
			for t, tags := range tables {
				if tags.Has(id) {
					tagged = append(tagged, t)
				}
			}
			sort.Strings(tagged)
			if len(tagged) == 1 {
				return nil
			}
			return []verify.Finding{fail("route tables", fmt.Sprintf("%d tagged for cluster %s (%s)", len(tagged), id, orElse(strings.Join(tagged, ", "), "none")), "exactly one", "")}
		})
	})
}

func iamActions(in Input) []verify.Finding {
	if !in.Cloud.On {
		return verify.Skipped("AWS was not asked: " + orElse(in.Cloud.Off, "off"))
	}
	return verify.Judge(in.Cloud.Roles, "IAM", func(roles []cloud.RoleRights) []verify.Finding {
		if len(roles) == 0 {
			return []verify.Finding{unknown("IAM", "no control-plane instance has an instance profile: the CCM's credentials come from elsewhere")}
		}
		var out []verify.Finding
		for _, r := range roles {
			if len(r.Denied) > 0 {
				denied := slices.Clone(r.Denied)
				sort.Strings(denied)
				out = append(out, missingActions(r.Role, denied)...)
			}
		}
		return out
	})
}

// tolerable are actions without which the CCM goes on: it logs, or works only in
// part.
var tolerable = map[string]bool{
	"elasticloadbalancing:DeregisterTargets": true, "ec2:DescribeInstanceTopology": true, "elasticloadbalancing:SetSecurityGroups": true,
}

func missingActions(role string, denied []string) []verify.Finding {
	var hard, soft []string
	for _, a := range denied {
		if tolerable[a] {
			soft = append(soft, a)
		} else {
			hard = append(hard, a)
		}
	}
	var out []verify.Finding
	if len(hard) > 0 {
		out = append(out, fail(role, "lacks "+strings.Join(hard, ", "), "allowed", ""))
	}
	if len(soft) > 0 {
		out = append(out, warn(role, "lacks "+strings.Join(soft, ", "), "allowed; without it the CCM works in part", ""))
	}
	return out
}

func hopLimit(in Input) []verify.Finding {
	if !in.DaemonSets.OK() {
		return verify.Unread(in.DaemonSets, "aws-cloud-controller-manager")
	}
	hostNetwork := len(in.DaemonSets.Value) > 0
	for _, d := range in.DaemonSets.Value {
		hostNetwork = hostNetwork && d.HostNetwork
	}
	if hostNetwork {
		return verify.Skipped("hop limit not looked at: the CCM's pods use the host network")
	}
	return eachInstance(in, func(p pair) []verify.Finding {
		if !p.node.ControlPlane() || p.instance.HopLimit != 1 || p.instance.HTTPTokens != "required" {
			return nil
		}
		return []verify.Finding{fail(p.object(), "hop limit 1 with HttpTokens=required, and the CCM in the pod network", "the host network, or hop limit 2", "")}
	})
}

// targetVersion is the version the cluster ends with.
func (in Input) targetVersion() (component.Version, error) {
	vs, err := in.versions()
	if err != nil {
		return component.Version{}, err
	}
	return vs[len(vs)-1], nil
}
