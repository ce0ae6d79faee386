package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// serviceCases returns the traps 8xx.
func serviceCases() []trap {
	const P0, P1, P4 = position.P0, position.P1, position.P4
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-801", "another load balancer", P4, func(in *evidence.Input) { in.Services.Value[0].Hostnames = []string{"b2.elb.amazonaws.com"} }, fail, "b2"},
		{"AWSM-802", "none", P0, func(in *evidence.Input) { in.Services.Value[0].Hostnames = nil }, warn, "no load balancer"},
		{"AWSM-803", "sync fails", P4, func(in *evidence.Input) {
			in.Events.Value = []downstream.Event{{Object: "Service web/front", Reason: "SyncLoadBalancerFailed", Message: "AccessDenied", Warning: true, Last: clusterNow}}
		}, warn, "AccessDenied"},
		{"AWSM-802", "not visible", P1, func(in *evidence.Input) { in.Services = verify.Failed[[]downstream.Service](errForbidden) }, unknown, "forbidden"},
	}
}
