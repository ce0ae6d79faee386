package awschecks

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func instancesExist(in evidence.Input) []verify.Finding {
	return in.Compared(func(pairs []evidence.Pair) []verify.Finding {
		if evidence.NoneFound(pairs) {
			return append([]verify.Finding{wrongPlace(in, pairs)}, notCompared(in)...)
		}
		var out []verify.Finding
		for _, p := range pairs {
			if !p.Found {
				out = append(out, verify.Failure(p.Object(), "no such instance in "+evidence.OrElse(cloud.RegionOf(p.Zone), evidence.OrElse(in.Cloud.Region, "the region asked")), "an instance", stale(in, p.Node)))
			}
		}
		return append(out, notCompared(in)...)
	})
}

// stale returns the remedy for a Node without instance: a Node that is alive has one.
func stale(in evidence.Input, n downstream.Node) string {
	if n.Ready.Status == "True" {
		return "keep the Node: it is alive, so its instance is elsewhere (--profile, --region), or the ProviderID is wrong and the node must be replaced"
	}
	return "its instance is gone, unless it is in another account or region (--profile, --region): " + continuity.Removal(n, in.Machines)
}

// wrongPlace returns the only finding if no instance at all is found.
func wrongPlace(in evidence.Input, pairs []evidence.Pair) verify.Finding {
	account := "the account of these credentials"
	if id := in.Cloud.Identity; id.OK() && id.Value.Account != "" {
		account = "account " + id.Value.Account
	}
	return verify.Failure(fault.Count(len(pairs), "node"),
		fmt.Sprintf("none of the %d instances is in %s, region %s", len(pairs), account, evidence.OrElse(in.Cloud.Region, "unknown")), "the nodes' instances",
		"ask with credentials of the account that the instances are in: --profile, --assume-role, --region")
}

// notCompared returns findings for the Nodes that no check compares with EC2.
func notCompared(in evidence.Input) []verify.Finding {
	var names []string
	for _, n := range in.Nodes.Value {
		if _, _, ok := downstream.ParseProviderID(n.ProviderID); !ok {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []verify.Finding{verify.Notice(fault.Count(len(names), "node"), "not compared, no EC2 instance is named by their ProviderID (AWSM-301): "+evidence.Some(names))}
}

func instancesRun(in evidence.Input) []verify.Finding {
	return in.WithAWS(func(pairs []evidence.Pair) []verify.Finding {
		var out []verify.Finding
		for _, p := range pairs {
			switch {
			case !p.Found || p.Instance.State == "running":
			case p.Instance.State == "":
				out = append(out, p.Silent("in which state it is")...)
			case !p.Instance.Alive():
				out = append(out, verify.Failure(p.Object(), "instance is "+p.Instance.State, "a machine behind the Node",
					"it cannot be started again: "+continuity.Removal(p.Node, in.Machines)+"; a CCM deletes such a Node as soon as it is not ready"))
			default:
				out = append(out, verify.Failure(p.Object(), "instance is "+p.Instance.State, "running", ""))
			}
		}
		return out
	})
}

func instanceZones(in evidence.Input) []verify.Finding {
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		switch {
		case p.Instance.Zone == "":
			return p.Silent("in which zone it is")
		case p.ZoneAgrees():
			return nil
		}
		return []verify.Finding{verify.Failure(p.Object(), "ProviderID says zone "+p.Zone, "zone "+p.Instance.Zone+", where the instance is", "")}
	})
}

func privateNames(in evidence.Input) []verify.Finding {
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		switch {
		case p.Instance.PrivateDNSName == "" && p.Instance.State == "running" && p.Instance.VPC != "" && len(p.Instance.PrivateIPs) > 0:
			return []verify.Finding{nameless(in, p)}
		case p.Instance.PrivateDNSName == "":
			return p.Silent("which private DNS name it has")
		case strings.EqualFold(p.Instance.PrivateDNSName, p.Node.Name):
			return nil
		}
		return []verify.Finding{verify.Warning(p.Object(), "private DNS name "+p.Instance.PrivateDNSName, p.Node.Name, "")}
	})
}

// nameless judges an instance without a private DNS name, as EC2 leaves it if the VPC's attribute
// enableDnsHostnames is off. An in-tree kubelet cannot start there. A CCM keeps the Nodes that
// have a ProviderID, and finds no new one.
func nameless(in evidence.Input, p evidence.Pair) verify.Finding {
	f := verify.Failure(p.Object(), "EC2 gives it no private DNS name, as where the DNS host names of its VPC are off", "private DNS name "+p.Node.Name,
		"turn on the DNS host names of VPC "+p.Instance.VPC+" (attribute enableDnsHostnames), before a node joins or a kubelet restarts")
	if in.Position.Position.AtLeast(position.P4) {
		f.Status = verify.Warn
	}
	return f
}

func instanceAddresses(in evidence.Input) []verify.Finding {
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		ips, other := p.Node.InternalIPs(), p.ForeignIPs()
		wanted := "one of " + strings.Join(p.Instance.PrivateIPs, ", ")
		switch {
		case len(p.Instance.PrivateIPs) == 0:
			return p.Silent("which addresses it has")
		case len(ips) == 0:
			return []verify.Finding{verify.Failure(p.Object(), "no InternalIP", wanted, "")}
		case len(other) == len(ips):
			return []verify.Finding{verify.Failure(p.Object(), "InternalIP "+strings.Join(other, ", "), wanted, "")}
		case len(other) > 0:
			return []verify.Finding{verify.Warning(p.Object(), "InternalIP "+strings.Join(other, ", ")+" besides its own", wanted, "")}
		}
		return nil
	})
}

func clusterTags(in evidence.Input) []verify.Finding {
	config, unread := in.Overrides()
	if config.Cluster() != "" {
		return namedCluster(in, config)
	}
	return in.WithAWS(func(pairs []evidence.Pair) []verify.Finding {
		tagged := func(p evidence.Pair) bool { return p.There() && len(p.Instance.Tags.Clusters()) > 0 }
		if unread != "" && !slices.ContainsFunc(pairs, tagged) {
			return []verify.Finding{evidence.NoCluster(unread)}
		}
		return in.Hedged(tagsDecide(pairs))
	})
}

// namedCluster judges the tags if the cloud config names the cluster. A controller manager then
// starts without a tag, but still finds instances by it: those of new Nodes by their names, and
// those of load balancers (describeInstances of
// kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14). An in-tree kubelet needs no
// tag to give a new Node its ProviderID.
func namedCluster(in evidence.Input, config cloud.Config) []verify.Finding {
	id := config.Cluster()
	if config.Contradicts() {
		return []verify.Finding{verify.Failure("cloud config", "KubernetesClusterTag "+config.ClusterTag+" and KubernetesClusterID "+config.ClusterID, "one cluster", "remove one of the two keys")}
	}
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		if p.Instance.Tags.Has(id) {
			return nil
		}
		return []verify.Finding{verify.Warning(p.Object(), "not tagged for cluster "+id+" of the cloud config: a CCM finds no new node and no member of a load balancer without the tag",
			cloud.TagCluster+id, tagInstance(p, id))}
	})
}

func tagsDecide(pairs []evidence.Pair) []verify.Finding {
	id := evidence.ClusterID(pairs)
	var out []verify.Finding
	for _, p := range pairs {
		have := p.Instance.Tags.Clusters()
		switch {
		case !p.There() || len(have) == 1 && have[0] == id:
		case len(have) == 0:
			out = append(out, verify.Failure(p.Object(), "no tag "+cloud.TagCluster+"…", cloud.TagCluster+evidence.OrElse(id, "CLUSTER"), tagInstance(p, id)))
		case len(have) > 1 && !p.Node.ControlPlane() && p.Instance.Tags.Has(id):
			// No manager starts there, but this cluster's manager still finds the instance.
			out = append(out, verify.Warning(p.Object(), "tagged for "+strings.Join(have, ", "), "one cluster: "+id, ""))
		default:
			out = append(out, verify.Failure(p.Object(), "tagged for "+strings.Join(have, ", "), "one cluster, the same for all nodes"+wantedCluster(id), ""))
		}
	}
	return out
}

// wantedCluster returns "" if the control planes do not agree on one cluster.
func wantedCluster(id string) string {
	if id == "" {
		return ""
	}
	return ": " + id
}

func securityGroups(in evidence.Input) []verify.Finding {
	if config, _ := in.Overrides(); config.NoIngress {
		return verify.Skipped("the cloud config has DisableSecurityGroupIngress: no group of a node is opened")
	}
	return in.WithCluster(func(pairs []evidence.Pair, id string) []verify.Finding {
		return verify.Judge(in.Cloud.SecurityGroups, "security groups", func(groups map[string]cloud.Tags) []verify.Finding {
			var out []verify.Finding
			for _, p := range pairs {
				if !p.There() {
					continue
				}
				var tagged []string
				if !allSeen(groups, p.Instance.SecurityGroups) {
					out = append(out, p.Silent("which security groups it has, or what tags they have")...)
					continue
				}
				for _, g := range p.Instance.SecurityGroups {
					if groups[g].Has(id) {
						tagged = append(tagged, g)
					}
				}
				if len(tagged) == 1 || len(tagged) == 0 && len(p.Instance.SecurityGroups) == 1 {
					continue
				}
				out = append(out, verify.Failure(p.Object(), fmt.Sprintf("%d of its %d security groups are tagged (%s)", len(tagged), len(p.Instance.SecurityGroups), evidence.OrElse(strings.Join(tagged, ", "), "none")), "exactly one", keepOne(len(tagged), "security group", id)))
			}
			return out
		})
	})
}

func subnets(in evidence.Input) []verify.Finding {
	config, _ := in.Overrides()
	return in.WithCluster(func(pairs []evidence.Pair, id string) []verify.Finding {
		return verify.Judge(in.Cloud.Subnets, "subnets", func(tags map[string]cloud.Tags) []verify.Finding {
			seen := map[string]bool{}
			var out []verify.Finding
			for _, p := range pairs {
				s := p.Instance.Subnet
				if !p.There() || seen[s] || tags[s].Has(id) || outside(config, p) || config.Place() != "" && s == config.SubnetID {
					continue
				}
				if !allSeen(tags, []string{s}) {
					out = append(out, p.Silent("in which subnet it is, or what tags that has")...)
					continue
				}
				seen[s] = true
				out = append(out, verify.Warning("subnet "+s, "not tagged for cluster "+id, cloud.TagCluster+id, tagSubnet(p, s, id)))
			}
			return out
		})
	})
}

// outside reports whether a control plane is outside the VPC that the cloud config names for
// controller managers, which is then intended.
func outside(config cloud.Config, p evidence.Pair) bool {
	return config.Place() != "" && p.Node.ControlPlane() && p.Instance.VPC != config.Place()
}

// allSeen reports whether there are ids, and EC2 has shown all of them.
func allSeen(tags map[string]cloud.Tags, ids []string) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool {
		_, seen := tags[id]
		return !seen
	})
}

// httpTokens matters to the end state overrides, whose names come from the metadata service at
// every start of RKE2. The label proves the present name; the setting decides the name at the
// next start and of every node that joins.
func httpTokens(in evidence.Input) []verify.Finding {
	if in.EndState == evidence.External {
		return nil // names are explicit, AWSM-304 proves it
	}
	versions, err := in.Versions()
	if err != nil {
		return []verify.Finding{verify.Undecided("Kubernetes", err.Error())}
	}
	if versions[0].AtLeast(1, 29) {
		return nil
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	if !in.Cloud.On {
		for _, n := range in.Nodes.Value {
			if p := evidence.NameProof(n); !p.Overrides && !p.External {
				return []verify.Finding{{Status: verify.Skip, Object: "Node " + n.Name, Reason: "AWS was not asked (" + evidence.OrElse(in.Cloud.Off, "off") + "), and the node has no proof of its name"}}
			}
		}
		return []verify.Finding{verify.Warning("instances", "HttpTokens not looked at: AWS was not asked ("+evidence.OrElse(in.Cloud.Off, "off")+")", "optional; every present name is proven by its label, nodes that join later are not", "")}
	}
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		proof := evidence.NameProof(p.Node)
		switch {
		case p.Instance.HTTPTokens == "" && !p.Instance.MetadataDisabled && !proof.External:
			return p.Silent("whether its metadata service asks for a token")
		case p.Instance.HTTPTokens != "required" && !p.Instance.MetadataDisabled, proof.External:
			return nil
		case proof.Overrides:
			return []verify.Finding{verify.Warning(p.Object(), metadataSeen(p), metadataWanted(p)+": its current name is proven, but the next start reads hostname -f, and a migration restarts RKE2; a node that joins reads it too", allowMetadata(p))}
		}
		return []verify.Finding{verify.Failure(p.Object(), metadataSeen(p)+", and "+downstream.LabelHostname+"="+p.Node.Labels[downstream.LabelHostname], metadataWanted(p), allowMetadata(p))}
	})
}

func metadataSeen(p evidence.Pair) string {
	if p.Instance.MetadataDisabled {
		return "HttpEndpoint=disabled"
	}
	return "HttpTokens=required"
}

func metadataWanted(p evidence.Pair) string {
	if p.Instance.MetadataDisabled {
		return "HttpEndpoint=enabled and HttpTokens=optional"
	}
	return "HttpTokens=optional"
}

func routeTables(in evidence.Input) []verify.Finding {
	if config, _ := in.Overrides(); config.RouteTableID != "" {
		return namedTable(in, config.RouteTableID)
	}
	return in.WithCluster(func(pairs []evidence.Pair, id string) []verify.Finding {
		return verify.Judge(in.Cloud.RouteTables, "route tables", func(tables map[string]cloud.Tags) []verify.Finding {
			if !in.RoutesAtWork() && in.CloudRoutes != "on" {
				return nil
			}
			if lost := withoutVPC(pairs); len(lost) > 0 {
				return lost
			}
			if len(tables) == 0 { // every VPC has a main table
				return []verify.Finding{verify.Undecided("route tables", "EC2's answer has no route table of the nodes' VPCs")}
			}
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
			return []verify.Finding{verify.Failure("route tables", fmt.Sprintf("%d tagged for cluster %s (%s)", len(tagged), id, evidence.OrElse(strings.Join(tagged, ", "), "none")), "exactly one", oneTable(in, len(tagged), id))}
		})
	})
}

// namedTable judges the route table that the cloud config names, which needs no tag.
func namedTable(in evidence.Input, table string) []verify.Finding {
	return in.WithAWS(func(pairs []evidence.Pair) []verify.Finding {
		return verify.Judge(in.Cloud.RouteTables, "route tables", func(tables map[string]cloud.Tags) []verify.Finding {
			_, found := tables[table]
			if found || !in.RoutesAtWork() && in.CloudRoutes != "on" {
				return nil
			}
			if lost := withoutVPC(pairs); len(lost) > 0 {
				return lost
			}
			return []verify.Finding{verify.Warning("route table "+table, "named by the cloud config, and in no VPC of the nodes", "a route table that the nodes use", "correct RouteTableID in the cloud config")}
		})
	})
}

func oneTable(in evidence.Input, tagged int, id string) string {
	fix := keepOne(tagged, "route table", id)
	if !in.RoutesAtWork() {
		fix += ", or set --cloud-routes=off"
	}
	return fix
}

// keepOne returns the advice to tag exactly one of several things for a cluster.
func keepOne(tagged int, what, id string) string {
	if tagged == 0 {
		return "give one " + what + ", that the nodes use, the tag " + cloud.TagCluster + id
	}
	return "take the tag " + cloud.TagCluster + id + " off every " + what + " but one that the nodes use"
}

func hopLimit(in evidence.Input) []verify.Finding {
	if !in.DaemonSets.OK() {
		return verify.Unread(in.DaemonSets, wellknown.CCM)
	}
	hostNetwork := len(in.DaemonSets.Value) > 0
	for _, d := range in.DaemonSets.Value {
		hostNetwork = hostNetwork && d.HostNetwork
	}
	if hostNetwork {
		return verify.Skipped("hop limit not looked at: the CCM's pods use the host network")
	}
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		if p.Node.ControlPlane() && (p.Instance.HTTPTokens == "" || p.Instance.HopLimit == 0) {
			return p.Silent("how its metadata service answers")
		}
		if !p.Node.ControlPlane() || p.Instance.HopLimit != 1 || p.Instance.HTTPTokens != "required" {
			return nil
		}
		return []verify.Finding{verify.Failure(p.Object(), "hop limit 1 with HttpTokens=required, and the CCM in the pod network", "the host network, or hop limit 2", "")}
	})
}
