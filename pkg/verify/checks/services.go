package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const services = "services"

// serviceChecks returns the checks 8xx.
func serviceChecks() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: sameBalancers, Meta: verify.Meta{
			ID: "AWSM-801", Title: "load balancers are those of the fingerprint", Category: services, AfterHandover: true,
			Why:    "another host name is another load balancer: everything that points at the old one is cut off",
			Source: "load balancer name is \"a\" and the Service's UID, the same in-tree and in the CCM; Elastic Load Balancing, Describe actions",
			Fix:    "look at the Service's events",
		}},
		{Judge: balancersExist, Meta: verify.Meta{
			ID: "AWSM-802", Title: "every LoadBalancer Service has its load balancer", Category: services,
			Why:    "one that is missing before the migration is not the migration's doing, and would look like it",
			Source: "status.loadBalancer.ingress",
			Fix:    "look at the Service's events",
		}},
		{Judge: syncFailures, Meta: verify.Meta{
			ID: "AWSM-803", Title: "no load balancer sync fails", Category: services,
			Why:    "rights and tags that are missing show here first",
			Source: "events SyncLoadBalancerFailed; kept for about an hour, their absence proves nothing",
			Fix:    "read the message: it names the AWS call",
		}},
	}
}

// AfterHandover returns the ID of the check that the step of the hand-over anticipates.
func AfterHandover() string {
	for _, c := range serviceChecks() {
		if c.AfterHandover {
			return c.ID
		}
	}
	return ""
}

func sameBalancers(in evidence.Input) []verify.Finding {
	if in.Fingerprint == nil {
		return noFingerprint(in)
	}
	return verify.Judge(in.Services, "services", func(s []downstream.Service) []verify.Finding {
		changes, _ := in.Fingerprint.BalancerChanges(in.Facts, in.Cloud)
		status := verify.Warn // in-tree's own correction at a restart, or a person's change
		if in.Position.Position.AtLeast(position.P4) {
			status = verify.Fail
		}
		return append(continuity.LoadBalancers(*in.Fingerprint, s), continuity.ChangedInAWS(changes, status)...)
	})
}

func balancersExist(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Services, "services", func(all []downstream.Service) []verify.Finding {
		var out []verify.Finding
		for _, s := range all {
			if len(s.Hostnames) == 0 && !s.Deleting && !s.Elsewhere() {
				out = append(out, verify.Warning(s.String(), "no load balancer yet", "a host name in its status", fault.Command("kubectl", "-n", s.Namespace, "describe", "service", s.Name)))
			}
		}
		return out
	})
}

// syncFailures judges failures since the present holder acquired the migration lease, or all
// failures if the lease is free. Both times were written in the cluster.
func syncFailures(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Events, "events", func(events []downstream.Event) []verify.Finding {
		since := in.Leases.Value.Migration.Last.Acquire
		if l := in.Leases.Value.Migration.Last; !l.Exists || l.Holder == "" {
			since = in.Leases.Value.CCM.Last.Acquire
		}
		var out []verify.Finding
		for _, e := range events {
			if e.Warning && e.Reason == "SyncLoadBalancerFailed" && !e.Last.Before(since) {
				out = append(out, verify.Warning(e.Object, e.Message, "no such event", ""))
			}
		}
		return out
	})
}
