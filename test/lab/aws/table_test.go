package aws

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// calls returns every action that the in-tree provider (k8s.io/legacy-cloud-providers@v0.26.13
// aws) and the CCM (k8s.io/cloud-provider-aws v1.26.0 and v1.28.1, pkg/providers/v1) send for
// nodes, routes and load balancers, extracted from both trees. Volumes belong to the CSI driver
// since CSIMigrationAWS is locked on.
func calls() map[string]string {
	return map[string]string{
		"ec2": `DescribeInstances DescribeSubnets DescribeSecurityGroups DescribeRouteTables DescribeVpcs
			DescribeAvailabilityZones DescribeNetworkInterfaces DescribeVolumes CreateSecurityGroup DeleteSecurityGroup
			AuthorizeSecurityGroupIngress RevokeSecurityGroupIngress CreateTags DeleteTags CreateRoute DeleteRoute
			ModifyInstanceAttribute`,
		"elb": `DescribeLoadBalancers CreateLoadBalancer DeleteLoadBalancer AddTags RegisterInstancesWithLoadBalancer
			DeregisterInstancesFromLoadBalancer CreateLoadBalancerPolicy SetLoadBalancerPoliciesForBackendServer
			SetLoadBalancerPoliciesOfListener DescribeLoadBalancerPolicies DetachLoadBalancerFromSubnets
			AttachLoadBalancerToSubnets CreateLoadBalancerListeners DeleteLoadBalancerListeners
			ApplySecurityGroupsToLoadBalancer ConfigureHealthCheck DescribeLoadBalancerAttributes ModifyLoadBalancerAttributes`,
		"elbv2": `AddTags CreateLoadBalancer DescribeLoadBalancers DeleteLoadBalancer ModifyLoadBalancerAttributes
			DescribeLoadBalancerAttributes CreateTargetGroup DescribeTargetGroups ModifyTargetGroup DeleteTargetGroup
			DescribeTargetHealth RegisterTargets DeregisterTargets CreateListener DescribeListeners DeleteListener ModifyListener`,
	}
}

func TestEveryCallOfTheProvidersIsServedAndAllowed(t *testing.T) {
	// Asked for Fargate nodes and by the tagging controller only, and in no
	// published policy (reference: cloud-provider-aws docs/prerequisites.md).
	unlisted := []string{"ec2:DescribeNetworkInterfaces", "ec2:DeleteTags"}
	policy := allow(DefaultPolicies()[RoleControlPlane])
	table := actionTable()
	for _, a := range apis() {
		for _, name := range strings.Fields(calls()[a.Name]) {
			served, ok := table[a.Name][name]
			if !ok {
				t.Errorf("%s %s is not served", a.Name, name)
			}
			if reading := strings.HasPrefix(name, "Describe"); reading == served.write {
				t.Errorf("%s %s: write is %v", a.Name, name, served.write)
			}
			full := a.Prefix + ":" + name
			want := decisionAllowed
			if slices.Contains(unlisted, full) {
				want = decisionImplicitDeny
			}
			if got := policy.evaluate(full); got != want {
				t.Errorf("%s is %s by default, want %s", full, got, want)
			}
		}
	}
}

func TestEvaluate(t *testing.T) {
	d := Document{Statement: []Statement{
		{Effect: "Allow", Action: []string{"ec2:Describe*", "iam:Get?ole"}},
		{Effect: "Deny", Action: []string{"ec2:DescribeVpcs"}},
	}}
	for action, want := range map[string]string{
		"ec2:DescribeInstances":                      decisionAllowed,
		"EC2:describeinstances":                      decisionAllowed,
		"ec2:DescribeVpcs":                           decisionExplicitDeny,
		"ec2:CreateTags":                             decisionImplicitDeny,
		"iam:GetRole":                                decisionAllowed,
		"iam:GetRolePolicy":                          decisionImplicitDeny,
		"elasticloadbalancing:DescribeLoadBalancers": decisionImplicitDeny,
	} {
		if got := d.evaluate(action); got != want {
			t.Errorf("%s is %s, want %s", action, got, want)
		}
	}
}

func TestValidateDocument(t *testing.T) {
	c := New(Options{})
	for name, d := range map[string]Document{
		"effect": {Statement: []Statement{{Effect: "Maybe", Action: []string{"ec2:X"}}}},
		"action": {Statement: []Statement{{Effect: "Allow", Action: []string{"DescribeVpcs"}}}},
	} {
		if err := c.SetPolicyDocument("r", d); err == nil || !strings.Contains(err.Error(), "role r") {
			t.Errorf("%s: error %v does not name the role", name, err)
		}
	}
	if _, ok := c.Policy("r"); ok {
		t.Error("a refused document made the role")
	}
}

func TestWildcard(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abbc", true},
		{"a*c", "abcd", false}, {"?", "", false}, {"a?c", "abc", true}, {"*b*", "abc", true}, {"**", "x", true}, {"a*b*c", "aXbYbZc", true},
	} {
		if got := wildcard(c.pattern, c.text); got != c.want {
			t.Errorf("wildcard(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestParams(t *testing.T) {
	p := parseParams(url.Values{
		"InstanceId.2": {"b"}, "InstanceId.10": {"c"}, "InstanceId.1": {"a"},
		"Names.member.1": {"n"}, "Policies": {""}, "Filter.1.Name": {"tag:x"}, "Filter.1.Value.1": {"y"}, "Size": {"7x"},
	})
	if diff := cmp.Diff([]string{"a", "b", "c"}, p.list("InstanceId")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"n"}, p.list("Names")); diff != "" {
		t.Error(diff)
	}
	if got := p.list("Policies"); len(got) != 0 {
		t.Errorf("an empty list has %v", got)
	}
	if _, err := p.number("Size"); err == nil || !strings.Contains(err.Error(), "Size") {
		t.Errorf("error %v does not name the parameter", err)
	}
	want := map[string][]string{
		"InstanceId": {"a", "b", "c"}, "Names": {"n"}, "Policies": {""}, "Filter:tag:x": {"y"}, "Size": {"7x"},
	}
	if diff := cmp.Diff(want, summary(p)); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryIsBounded(t *testing.T) {
	form := url.Values{}
	for n := range 120 {
		form.Set("InstanceId."+itoa(n+1), "i")
	}
	got := summary(parseParams(form))["InstanceId"]
	if len(got) != maxRecorded+1 || got[maxRecorded] != "+70" {
		t.Errorf("%d values, last %q", len(got), got[len(got)-1])
	}
}
