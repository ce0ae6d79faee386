package balancers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	awsreader "github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// A healthy cluster has no finding, with one Service and with twenty of both types.
func TestFindings_healthy_none(t *testing.T) {
	for _, count := range []int{0, 1, 20} {
		a := newAccount(t, aws.Options{})
		for i := range count {
			if i%2 == 0 {
				a.addClassic()
			} else {
				a.addNetwork()
			}
		}
		if got := a.findings(nil); len(got) > 0 {
			t.Errorf("%d Services: %s", count, strings.Join(got, "\n"))
		}
		t.Logf("%d Services: %d calls", count, len(a.calls))
	}
}

// Every finding is reported, and only by its check.
func TestFindings_seeded_named(t *testing.T) {
	all := func(number int) map[string]int { return map[string]int{fmt.Sprintf("web/network-%d", number): 2} }
	for name, tt := range map[string]struct {
		seed      func(*account, string, network)
		endpoints map[string]int
		want      []string // parts of the findings, in order
	}{
		"a classic one gone": {func(a *account, name string, _ network) {
			must(a.classic().DeleteLoadBalancer(a.t.Context(), &classic.DeleteLoadBalancerInput{LoadBalancerName: &name}))
		}, nil, []string{"AWSM-804 fail Service web/classic-0: no load balancer"}},
		"created anew": {func(a *account, _ string, _ network) {
			a.services[1].Hostnames = []string{"old.elb.us-east-1.amazonaws.com"}
		}, nil,
			[]string{"AWSM-804 fail Service web/network-1: network load balancer"}},
		"two of one Service": {func(a *account, _ string, _ network) { a.createNetwork(0) }, nil, []string{"AWSM-805 warn Service web/classic-0: classic load balancer"}},
		"the other controller's": {func(a *account, _ string, _ network) { a.services[1].Class = "service.k8s.aws/nlb" }, nil,
			[]string{"AWSM-805 warn Service web/network-1: network load balancer"}},
		"for two clusters": {func(a *account, _ string, n network) {
			must(a.v2().AddTags(a.t.Context(), &v2.AddTagsInput{ResourceArns: []string{n.balancer}, Tags: []types.Tag{{Key: sdk.String("kubernetes.io/cluster/other"), Value: sdk.String("owned")}}}))
		}, nil, []string{"AWSM-806 warn Service web/network-1"}},
		"no tag": {func(a *account, name string, _ network) {
			must(a.classic().RemoveTags(a.t.Context(), &classic.RemoveTagsInput{LoadBalancerNames: []string{name}, Tags: []classictypes.TagKeyOnly{{Key: sdk.String("kubernetes.io/cluster/demo")}}}))
		}, nil, []string{"AWSM-806 warn Service web/classic-0"}},
		"no healthy target": {func(a *account, _ string, n network) {
			must(a.v2().DeregisterTargets(a.t.Context(), &v2.DeregisterTargetsInput{TargetGroupArn: &n.group, Targets: a.targets(sdk.Int32(30443))}))
		}, all(1), []string{"AWSM-807 warn Service web/network-1"}},
		"left over": {func(a *account, _ string, _ network) { a.services = a.services[:1] }, nil, []string{"AWSM-808 warn network load balancer"}},
		"near the limit of rules": {func(a *account, _ string, _ network) {
			for i := range 55 {
				a.allow(a.Network().NodeSecurityGroup, fmt.Sprintf("10.9.%d.0/24", i), 8080)
			}
		}, nil, []string{"AWSM-809 warn security group"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, aws.Options{})
			classicName := a.addClassic()
			tt.seed(a, classicName, a.addNetwork())
			got := a.findings(tt.endpoints)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q", got)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}

// Without an action, what it shows is unknown, and no load balancer is gone.
func TestFindings_denied_unknown(t *testing.T) {
	actions := []string{"DescribeInstanceHealth", "DescribeLoadBalancers", "DescribeTags", "DescribeTargetGroups", "DescribeTargetHealth"}
	for _, denied := range actions {
		a := newAccount(t, aws.Options{})
		a.addClassic()
		a.addNetwork()
		allowed := []string{"ec2:Describe*", "iam:Get*", "sts:*"}
		for _, action := range actions {
			if action != denied {
				allowed = append(allowed, "elasticloadbalancing:"+action)
			}
		}
		if err := a.SetPolicy(aws.RoleOperator, allowed); err != nil {
			t.Fatal(err)
		}
		got := a.findings(nil)
		if len(got) == 0 || slices.ContainsFunc(got, func(f string) bool { return !strings.Contains(f, " unknown ") || !strings.Contains(f, denied) }) {
			t.Errorf("without %s: %q", denied, got)
		}
	}
}

// A throttled account answers late, and no load balancer is gone.
func TestFindings_throttled_none(t *testing.T) {
	refused := 0
	a := newAccount(t, aws.Options{Throttle: func(caller, _, action string) bool {
		if caller != "operator" || action != "DescribeLoadBalancers" || refused == 2 {
			return false
		}
		refused++
		return true
	}})
	a.addClassic()
	a.addNetwork()
	if got := a.findings(nil); len(got) > 0 || refused != 2 {
		t.Errorf("after %d refusals: %q", refused, got)
	}
}

// Without a Node on AWS no load balancer is read, and nothing is unknown: another provider may
// serve the Services.
func TestFindings_notOnAWS_none(t *testing.T) {
	a := newAccount(t, aws.Options{})
	a.region = "us-east-1"
	a.services = []downstream.Service{{Namespace: "web", Name: "metal", UID: uid(0), Hostnames: []string{"192.0.2.7"}}}
	for i := range a.nodes {
		a.nodes[i].ProviderID = "metal://" + a.nodes[i].Name
	}
	if got := a.findings(nil); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// The questions for the rights get the same answers as the readings that need them.
func TestAccess_eachActionDenied_named(t *testing.T) {
	for _, denied := range append(awsreader.Actions(), "") {
		a := newAccount(t, aws.Options{})
		var want []string
		allowed := slices.DeleteFunc(awsreader.Actions(), func(action string) bool { return action == denied })
		if denied != "" {
			want = []string{denied}
		}
		if err := a.SetPolicy(aws.RoleOperator, allowed); err != nil {
			t.Fatal(err)
		}
		got := awsreader.Access(t.Context(), a.operator(), a.nodes[0].ProviderID)
		if unknown := got.Unknown(); !slices.Equal(got.Refused(), want) || len(unknown) > 0 {
			t.Errorf("without %q: refused %v, unknown %v", denied, got.Refused(), unknown)
		}
	}
}
