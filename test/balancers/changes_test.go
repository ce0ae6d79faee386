package balancers

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// Each property that a foreign hand changes in AWS is named, for its Service alone.
func TestBalancerChanges_foreignHand_named(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*account, string, network)
		want   []string // "Service aspect"
	}{
		"nothing": {func(*account, string, network) {}, nil},
		"classic listener": {func(a *account, name string, _ network) {
			must(a.classic().CreateLoadBalancerListeners(a.t.Context(), &classic.CreateLoadBalancerListenersInput{LoadBalancerName: &name,
				Listeners: []classictypes.Listener{{Protocol: sdk.String("tcp"), LoadBalancerPort: 81, InstanceProtocol: sdk.String("tcp"), InstancePort: sdk.Int32(30081)}}}))
		}, []string{"web/classic-0 listeners"}},
		"classic subnet": {func(a *account, name string, _ network) {
			must(a.classic().AttachLoadBalancerToSubnets(a.t.Context(), &classic.AttachLoadBalancerToSubnetsInput{LoadBalancerName: &name, Subnets: []string{a.Network().Subnets["us-east-1b"]}}))
		}, []string{"web/classic-0 subnets"}},
		"classic security group": {func(a *account, name string, _ network) {
			must(a.classic().ApplySecurityGroupsToLoadBalancer(a.t.Context(), &classic.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: &name, SecurityGroups: []string{a.Network().NodeSecurityGroup}}))
		}, []string{"web/classic-0 security groups", "web/classic-0 security group rules"}},
		"classic health check": {func(a *account, name string, _ network) {
			must(a.classic().ConfigureHealthCheck(a.t.Context(), &classic.ConfigureHealthCheckInput{LoadBalancerName: &name, HealthCheck: &classictypes.HealthCheck{
				Target: sdk.String("TCP:30080"), Interval: sdk.Int32(20), Timeout: sdk.Int32(5), HealthyThreshold: sdk.Int32(2), UnhealthyThreshold: sdk.Int32(2)}}))
		}, []string{"web/classic-0 health checks"}},
		"classic attribute": {func(a *account, name string, _ network) {
			must(a.classic().ModifyLoadBalancerAttributes(a.t.Context(), &classic.ModifyLoadBalancerAttributesInput{LoadBalancerName: &name,
				LoadBalancerAttributes: &classictypes.LoadBalancerAttributes{ConnectionSettings: &classictypes.ConnectionSettings{IdleTimeout: sdk.Int32(600)}}}))
		}, []string{"web/classic-0 attributes"}},
		"classic target": {func(a *account, name string, _ network) {
			must(a.classic().DeregisterInstancesFromLoadBalancer(a.t.Context(), &classic.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: &name,
				Instances: []classictypes.Instance{{InstanceId: &a.instances()[4]}}}))
		}, []string{"web/classic-0 targets"}},
		"classic rule": {func(a *account, name string, _ network) {
			for _, lb := range a.LoadBalancers() {
				if lb.Name == name {
					a.allow(lb.SecurityGroups[0], "10.1.0.0/16", 80)
				}
			}
		}, []string{"web/classic-0 security group rules"}},
		"classic one gone": {func(a *account, name string, _ network) {
			must(a.classic().DeleteLoadBalancer(a.t.Context(), &classic.DeleteLoadBalancerInput{LoadBalancerName: &name}))
		}, []string{"web/classic-0 load balancer"}},
		"network listener": {func(a *account, _ string, n network) {
			must(a.v2().ModifyListener(a.t.Context(), &v2.ModifyListenerInput{ListenerArn: &n.listener, Port: sdk.Int32(444)}))
		}, []string{"web/network-1 listeners"}},
		"network health check": {func(a *account, _ string, n network) {
			must(a.v2().ModifyTargetGroup(a.t.Context(), &v2.ModifyTargetGroupInput{TargetGroupArn: &n.group, HealthyThresholdCount: sdk.Int32(5), UnhealthyThresholdCount: sdk.Int32(5)}))
		}, []string{"web/network-1 health checks"}},
		"network attribute": {func(a *account, _ string, n network) {
			must(a.v2().ModifyLoadBalancerAttributes(a.t.Context(), &v2.ModifyLoadBalancerAttributesInput{LoadBalancerArn: &n.balancer,
				Attributes: []types.LoadBalancerAttribute{{Key: sdk.String("load_balancing.cross_zone.enabled"), Value: sdk.String("true")}}}))
		}, []string{"web/network-1 attributes"}},
		"target group attribute": {func(a *account, _ string, n network) {
			must(a.v2().ModifyTargetGroupAttributes(a.t.Context(), &v2.ModifyTargetGroupAttributesInput{TargetGroupArn: &n.group,
				Attributes: []types.TargetGroupAttribute{{Key: sdk.String("deregistration_delay.timeout_seconds"), Value: sdk.String("1")}}}))
		}, []string{"web/network-1 attributes"}},
		"network target": {func(a *account, _ string, n network) {
			must(a.v2().DeregisterTargets(a.t.Context(), &v2.DeregisterTargetsInput{TargetGroupArn: &n.group, Targets: a.targets(sdk.Int32(30443))[:1]}))
		}, []string{"web/network-1 targets"}},
		"network client rule": {func(a *account, _ string, _ network) {
			cidr, text, port := "0.0.0.0/0", "kubernetes.io/rule/nlb/client="+balancerName(1), int32(30443)
			must(a.ec2().AuthorizeSecurityGroupIngress(a.t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: sdk.String(a.Network().NodeSecurityGroup),
				IpPermissions: []ec2types.IpPermission{{IpProtocol: sdk.String("tcp"), FromPort: &port, ToPort: &port, IpRanges: []ec2types.IpRange{{CidrIp: &cidr, Description: &text}}}}}))
		}, []string{"web/network-1 security group rules"}},
		"network health rule": {func(a *account, _ string, _ network) {
			cidr, text, port := "10.0.0.0/20", "kubernetes.io/rule/nlb/health="+balancerName(1), int32(30443)
			must(a.ec2().AuthorizeSecurityGroupIngress(a.t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: sdk.String(a.Network().NodeSecurityGroup),
				IpPermissions: []ec2types.IpPermission{{IpProtocol: sdk.String("tcp"), FromPort: &port, ToPort: &port, IpRanges: []ec2types.IpRange{{CidrIp: &cidr, Description: &text}}}}}))
		}, nil},
		"a node left": {func(a *account, name string, _ network) {
			must(a.classic().DeregisterInstancesFromLoadBalancer(a.t.Context(), &classic.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: &name,
				Instances: []classictypes.Instance{{InstanceId: &a.instances()[4]}}}))
			a.nodes = a.nodes[:4]
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, aws.Options{})
			classicName := a.addClassic()
			n := a.addNetwork()
			before := a.print()
			tt.change(a, classicName, n)
			facts, found := a.read(true)
			changes, _ := before.BalancerChanges(facts, found)
			var got []string
			for _, c := range changes {
				got = append(got, c.Service+" "+string(c.Aspect))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q: %v", got, tt.want, changes)
			}
		})
	}
}

// print returns the fingerprint of the account now, as a journal keeps it.
func (a *account) print() continuity.Fingerprint {
	a.t.Helper()
	facts, found := a.read(true)
	taken := must(continuity.Take(facts, found))
	read := must(continuity.Decode(must(taken.Encode())))
	if len(read.Services) != len(a.services) || !read.HasBalancers() {
		a.t.Fatalf("the fingerprint has %d Services: %s", len(read.Services), strings.Join(a.calls, ", "))
	}
	return read
}
