package checks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// balancerCases returns the traps of load balancers in AWS.
func balancerCases() []trap {
	const P0, P3, P4, P5 = position.P0, position.P3, position.P4, position.P5
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	first := func(change func(*cloud.Balancer)) func(*evidence.Input) {
		return func(in *evidence.Input) { change(&in.Cloud.Balancers.Value[0]) }
	}
	add := func(b cloud.Balancer) func(*evidence.Input) {
		return func(in *evidence.Input) { in.Cloud.Balancers.Value = append(in.Cloud.Balancers.Value, b) }
	}
	unhealthy := func(endpoints verify.Read[map[string]int]) func(*evidence.Input) {
		return func(in *evidence.Input) {
			in.Cloud.Balancers.Value[0].Targets.Value[0] = cloud.Target{ID: "i-00000003", State: "OutOfService"}
			in.Endpoints = endpoints
		}
	}
	counted := func(n int) verify.Read[map[string]int] { return verify.Got(map[string]int{"web/front": n}) }
	orphan := func(tags map[string]string) cloud.Balancer {
		return cloud.Balancer{Name: "a0123456789abcdef0123456789abcde", Type: "network", Tags: verify.Got(tags)}
	}
	second := healthyBalancer()
	second.Type, second.DNSName = "network", "n1.elb"
	forbidden := verify.Failed[[]cloud.Balancer](errors.New("AccessDenied"))
	subnets := first(func(b *cloud.Balancer) { b.Aspects[cloud.Subnets] = []string{"subnet-2"} })
	return []trap{
		{"AWSM-801", "subnets changed in AWS before the switch", P3, subnets, warn, "subnets: - subnet-1, + subnet-2"},
		{"AWSM-801", "subnets changed in AWS", P4, subnets, fail, "subnets: - subnet-1, + subnet-2"},
		{"AWSM-801", "deregistered by hand", P4, first(func(b *cloud.Balancer) { b.Aspects[cloud.Targets] = []string{"i-00000003"} }), fail, "targets: - i-00000004"},
		{"AWSM-801", "gone from AWS", P5, func(in *evidence.Input) { in.Cloud.Balancers.Value = nil }, fail, "- classic load balancer as1"},
		{"AWSM-804", "gone", P0, func(in *evidence.Input) { in.Cloud.Balancers.Value = nil }, fail, "no load balancer as1 in AWS"},
		{"AWSM-804", "created anew", P3, first(func(b *cloud.Balancer) { b.DNSName = "a2.elb.amazonaws.com" }), fail, "a2.elb"},
		{"AWSM-804", "not allowed", P0, func(in *evidence.Input) { in.Cloud.Balancers = forbidden }, unknown, "AccessDenied"},
		{"AWSM-805", "two types", P3, add(second), warn, "classic load balancer as1 (a1.elb.amazonaws.com) and network load balancer as1 (n1.elb)"},
		{"AWSM-805", "served by another controller", P5, func(in *evidence.Input) { in.Services.Value[0].Class = "service.k8s.aws/nlb" }, warn, "ignores this Service"},
		{"AWSM-806", "another cluster's", P0, first(func(b *cloud.Balancer) { b.Tags = verify.Got(map[string]string{"kubernetes.io/cluster/x": "owned"}) }), warn, "tagged for x"},
		{"AWSM-806", "of two clusters", P5, first(func(b *cloud.Balancer) { b.Tags.Value["kubernetes.io/cluster/x"] = "owned" }), warn, "demo and x"},
		{"AWSM-806", "tags not read", P0, first(func(b *cloud.Balancer) { b.Tags = verify.Failed[map[string]string](errors.New("throttled")) }), unknown, "throttled"},
		{"AWSM-807", "none healthy", P0, unhealthy(counted(3)), warn, "2 targets OutOfService, and the Service has 3 ready endpoints"},
		{"AWSM-807", "none registered", P5, func(in *evidence.Input) {
			in.Cloud.Balancers.Value[0].Targets, in.Endpoints = verify.Got([]cloud.Target{}), counted(1)
		}, warn, "no target is registered"},
		{"AWSM-807", "endpoints forbidden", P0, unhealthy(verify.Failed[map[string]int](errForbidden)), warn, "could not be seen"},
		{"AWSM-807", "health not read", P0, first(func(b *cloud.Balancer) { b.Targets = verify.Failed[[]cloud.Target](errors.New("cut")) }), unknown, "cut"},
		{"AWSM-808", "left over", P5, add(orphan(map[string]string{"kubernetes.io/cluster/demo": "owned", cloud.TagService: "web/old"})), warn, "Service web/old"},
		{"AWSM-809", "rules", P0, func(in *evidence.Input) { in.Cloud.GroupRules.Value["sg-1"] = 57 }, warn, "57 inbound rules"},
		{"AWSM-809", "targets in a zone", P0, first(func(b *cloud.Balancer) {
			b.Type, b.Targets.Value = "network", nil
			for i := range 460 {
				b.Targets.Value = append(b.Targets.Value, cloud.Target{ID: fmt.Sprint(i), Healthy: true})
			}
		}), warn, "460 targets in one zone"},
	}
}

// Healthy clusters that look like a trap.
func TestBalancers_lookalikes_ok(t *testing.T) {
	orphan := cloud.Balancer{Name: "a0123456789abcdef0123456789abcde", Type: "network", Tags: verify.Got(map[string]string{"kubernetes.io/cluster/x": "owned"})}
	for name, change := range map[string]func(*evidence.Input){
		"AWSM-801 a target of a node that is not ready": func(in *evidence.Input) {
			in.Cloud.Balancers.Value[0].Aspects[cloud.Targets] = []string{"i-00000003"}
			in.Nodes.Value[4].Ready.Status = "False"
		},
		"AWSM-801 the owner changed the Service": func(in *evidence.Input) {
			in.Cloud.Balancers.Value[0].Aspects[cloud.Subnets] = []string{"subnet-2"}
			in.Services.Value[0].Spec = "other"
		},
		"AWSM-801 an aspect that was not read": func(in *evidence.Input) { delete(in.Cloud.Balancers.Value[0].Aspects, cloud.Subnets) },
		"AWSM-804 the host name in capitals":   func(in *evidence.Input) { in.Services.Value[0].Hostnames = []string{"A1.elb.amazonaws.com."} },
		"AWSM-807 no endpoints either": func(in *evidence.Input) {
			in.Cloud.Balancers.Value[0].Targets, in.Endpoints = verify.Got([]cloud.Target{}), verify.Got(map[string]int{"web/front": 0})
		},
		"AWSM-808 another cluster's": func(in *evidence.Input) { in.Cloud.Balancers.Value = append(in.Cloud.Balancers.Value, orphan) },
		"AWSM-804 no Service and not allowed": func(in *evidence.Input) {
			in.Services.Value, in.Cloud.Balancers = nil, verify.Failed[[]cloud.Balancer](errors.New("AccessDenied"))
		},
	} {
		in := healthy(t, position.P4)
		change(&in)
		id, _, _ := strings.Cut(name, " ")
		report := verify.RunAll(t.Context(), verify.Bind(in, all()...), verify.Options{Position: position.P4, Only: []string{id}})
		if got := report.Results[0]; got.Status != verify.OK && got.Status != verify.Skip {
			t.Errorf("%s: %s, %+v", name, got.Status, got.Findings)
		}
	}
}
