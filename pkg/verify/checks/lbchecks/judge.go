package lbchecks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// compared passes the Services and the load balancers to judge. Without load balancers it skips.
func compared(in evidence.Input, judge func([]downstream.Service, []cloud.Balancer) []verify.Finding) []verify.Finding {
	switch {
	case !in.Cloud.On:
		return verify.Skipped("AWS was not asked: " + evidence.OrElse(in.Cloud.Off, "off"))
	case !in.Services.OK():
		return verify.Unread(in.Services, "services")
	case !in.Cloud.Balancers.OK():
		return verify.Skipped("load balancers could not be read in AWS, see AWSM-804")
	}
	return judge(in.Services.Value, in.Cloud.Balancers.Value)
}

// exist fails for a Service with a host name whose load balancer is not in AWS, or has another
// host name there. It alone reports that AWS did not answer.
func exist(in evidence.Input) []verify.Finding {
	read := in.Cloud.Balancers
	switch {
	case !in.Cloud.On || !in.Services.OK() || read.OK():
	case len(in.Services.Value) == 0:
		return verify.Skipped("there is no Service of type LoadBalancer")
	case !read.Looked:
		return verify.Skipped("load balancers were not read in AWS")
	default:
		f := verify.Undecided("load balancers", fmt.Sprintf("could not look: %v", read.Err))
		f.Fix = "allow the actions elasticloadbalancing:Describe… of docs/iam.md, or give the right --region"
		return []verify.Finding{f}
	}
	return compared(in, func(services []downstream.Service, balancers []cloud.Balancer) []verify.Finding {
		var out []verify.Finding
		for _, s := range services {
			if s.Elsewhere() || s.Deleting || len(s.Hostnames) == 0 {
				continue // AWSM-802
			}
			own := of(s, balancers)
			if len(own) == 0 {
				out = append(out, verify.Failure(s.String(), "no load balancer "+cloud.BalancerName(s.UID)+" in AWS", "the one with the host name "+strings.Join(s.Hostnames, ", "), ""))
			} else if !slices.ContainsFunc(own, func(b cloud.Balancer) bool { return slices.ContainsFunc(s.Hostnames, sameHost(b)) }) {
				out = append(out, verify.Failure(s.String(), own[0].String()+" has the host name "+own[0].DNSName, strings.Join(s.Hostnames, ", ")+", as in the Service's status",
					"the load balancer was created anew: point clients to its host name; the controller writes it to the status at its next sync"))
			}
		}
		return out
	})
}

func sameHost(b cloud.Balancer) func(string) bool {
	return func(host string) bool { return strings.EqualFold(strings.TrimSuffix(host, "."), b.DNSName) }
}

// of returns the load balancers that a cloud provider named for the Service.
func of(s downstream.Service, balancers []cloud.Balancer) []cloud.Balancer {
	var own []cloud.Balancer
	for _, b := range balancers {
		if b.Name == cloud.BalancerName(s.UID) {
			own = append(own, b)
		}
	}
	return own
}

func single(in evidence.Input) []verify.Finding {
	return compared(in, func(services []downstream.Service, balancers []cloud.Balancer) []verify.Finding {
		var out []verify.Finding
		for _, s := range services {
			own := of(s, balancers)
			switch {
			case len(own) > 1:
				out = append(out, verify.Warning(s.String(), join(own), "one of them", ""))
			case len(own) == 1 && s.Elsewhere():
				out = append(out, verify.Warning(s.String(), own[0].String()+" of a cloud provider, which ignores this Service", "only the load balancer of the controller that serves it ("+servedBy(s)+")", ""))
			}
		}
		return out
	})
}

// servedBy names the reason why another controller serves a Service.
func servedBy(s downstream.Service) string {
	if s.Class != "" {
		return "loadBalancerClass " + s.Class
	}
	return "annotation aws-load-balancer-type " + s.Type
}

func join(all []cloud.Balancer) string {
	var names []string
	for _, b := range all {
		names = append(names, b.String()+" ("+b.DNSName+")")
	}
	return strings.Join(names, " and ")
}

func tagged(in evidence.Input) []verify.Finding {
	return compared(in, func(services []downstream.Service, balancers []cloud.Balancer) []verify.Finding {
		return in.WithCluster(func(_ []evidence.Pair, id string) []verify.Finding {
			return eachOwn(services, balancers, func(s downstream.Service, b cloud.Balancer) []verify.Finding {
				return verify.Judge(b.Tags, b.String(), func(tags map[string]string) []verify.Finding {
					if ids := cloud.Tags(tags).Clusters(); len(ids) != 1 || ids[0] != id {
						return []verify.Finding{verify.Warning(s.String(), b.String()+" is tagged for "+evidence.OrElse(strings.Join(ids, " and "), "no cluster"), "cluster "+id+" alone", "")}
					}
					return nil
				})
			})
		})
	})
}

// eachOwn passes every load balancer that a cloud provider keeps for a Service.
func eachOwn(services []downstream.Service, balancers []cloud.Balancer, judge func(downstream.Service, cloud.Balancer) []verify.Finding) []verify.Finding {
	var out []verify.Finding
	for _, s := range services {
		if s.Elsewhere() || s.Deleting {
			continue
		}
		for _, b := range of(s, balancers) {
			out = append(out, judge(s, b)...)
		}
	}
	return out
}

// healthy warns of a load balancer without a healthy target, unless its Service has no ready
// endpoint: no target can be healthy then.
func healthy(in evidence.Input) []verify.Finding {
	return compared(in, func(services []downstream.Service, balancers []cloud.Balancer) []verify.Finding {
		return eachOwn(services, balancers, func(s downstream.Service, b cloud.Balancer) []verify.Finding {
			return verify.Judge(b.Targets, b.String(), func(targets []cloud.Target) []verify.Finding {
				count, known := in.Endpoints.Value[s.Namespace+"/"+s.Name]
				switch {
				case slices.ContainsFunc(targets, func(t cloud.Target) bool { return t.Healthy }) || known && count == 0:
					return nil
				case !known:
					return []verify.Finding{verify.Warning(s.String(), b.String()+": "+states(targets)+"; whether the Service has endpoints could not be seen", "a healthy target", "")}
				}
				return []verify.Finding{verify.Warning(s.String(), fmt.Sprintf("%s: %s, and the Service has %s", b, states(targets), fault.Count(count, "ready endpoint")), "a healthy target", "")}
			})
		})
	})
}

// states counts the targets by their state: "2 targets OutOfService".
func states(targets []cloud.Target) string {
	if len(targets) == 0 {
		return "no target is registered"
	}
	count := map[string]int{}
	for _, t := range targets {
		count[t.State]++
	}
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fault.Count(count[state], "target")+" "+state)
	}
	return strings.Join(parts, ", ")
}

// orphans warns of load balancers with the cluster's tag whose Service does not exist.
func orphans(in evidence.Input) []verify.Finding {
	return compared(in, func(services []downstream.Service, balancers []cloud.Balancer) []verify.Finding {
		return in.WithCluster(func(_ []evidence.Pair, id string) []verify.Finding {
			var out []verify.Finding
			for _, b := range balancers {
				if slices.ContainsFunc(services, func(s downstream.Service) bool { return cloud.BalancerName(s.UID) == b.Name }) {
					continue
				}
				out = append(out, verify.Judge(b.Tags, b.String(), func(tags map[string]string) []verify.Finding {
					if !slices.Contains(cloud.Tags(tags).Clusters(), id) {
						return nil // another cluster's
					}
					return []verify.Finding{verify.Warning(b.String(), "tagged for this cluster and for Service "+evidence.OrElse(tags[cloud.TagService], "unknown")+", which has another UID or does not exist", "a Service", "")}
				})...)
			}
			return out
		})
	})
}

// The quotas that AWS grants by default (AWS Elastic Load Balancing and VPC quotas), and the share
// of them from which a finding warns.
const (
	maxRules, maxZoneTargets, maxInstances = 60, 500, 1000
	nearLimit                              = 0.9
)

func limits(in evidence.Input) []verify.Finding {
	return compared(in, func(services []downstream.Service, balancers []cloud.Balancer) []verify.Finding {
		out := eachOwn(services, balancers, func(s downstream.Service, b cloud.Balancer) []verify.Finding {
			limit := maxInstances
			if b.Type != cloud.Classic {
				limit = maxZoneTargets
			}
			if fullest := mostInZone(in, b); near(fullest, limit) {
				return []verify.Finding{verify.Warning(s.String(), fmt.Sprintf("%s has %d targets%s", b, fullest, inZone(b)), fmt.Sprintf("fewer than AWS's default limit of %d", limit), "")}
			}
			return nil
		})
		if len(services) == 0 || !in.Cloud.GroupRules.OK() {
			return out
		}
		for _, id := range slices.Sorted(maps.Keys(in.Cloud.GroupRules.Value)) {
			if n := in.Cloud.GroupRules.Value[id]; near(n, maxRules) {
				out = append(out, verify.Warning("security group "+id, fmt.Sprintf("%d inbound rules", n), fmt.Sprintf("fewer than AWS's default limit of %d", maxRules), ""))
			}
		}
		return out
	})
}

func near(n, limit int) bool { return float64(n) >= nearLimit*float64(limit) }

func inZone(b cloud.Balancer) string {
	if b.Type == cloud.Classic {
		return ""
	}
	return " in one zone"
}

// mostInZone returns the number of targets in the fullest zone, or all of a classic load balancer.
func mostInZone(in evidence.Input, b cloud.Balancer) int {
	if b.Type == cloud.Classic {
		return len(b.Targets.Value)
	}
	count := map[string]int{}
	for _, t := range b.Targets.Value {
		count[in.Cloud.Instances.Value[t.ID].Zone]++
	}
	return slices.Max(append(slices.Collect(maps.Values(count)), 0))
}
