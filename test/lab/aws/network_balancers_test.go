package aws_test

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func createNetwork(t *testing.T, f *fixture) types.LoadBalancer {
	t.Helper()
	out := must[*elbv2.CreateLoadBalancerOutput](t)(f.elbv2(aws.RoleControlPlane).CreateLoadBalancer(t.Context(), &elbv2.CreateLoadBalancerInput{
		Name: sdk.String(lbName), Type: types.LoadBalancerTypeEnumNetwork,
		SubnetMappings: []types.SubnetMapping{{SubnetId: sdk.String(f.Network().Subnets["us-east-1a"])}},
		Tags:           []types.Tag{{Key: sdk.String("k"), Value: sdk.String("v")}},
	}))
	return out.LoadBalancers[0]
}

func createTargetGroup(t *testing.T, f *fixture, name string, port int32) string {
	t.Helper()
	out := must[*elbv2.CreateTargetGroupOutput](t)(f.elbv2(aws.RoleControlPlane).CreateTargetGroup(t.Context(), &elbv2.CreateTargetGroupInput{
		Name: &name, Port: &port, Protocol: types.ProtocolEnumTcp, TargetType: types.TargetTypeEnumInstance,
		VpcId: sdk.String(f.Network().VpcID), HealthCheckProtocol: types.ProtocolEnumTcp, HealthCheckPort: sdk.String("traffic-port"),
		HealthCheckIntervalSeconds: sdk.Int32(30), HealthyThresholdCount: sdk.Int32(3), UnhealthyThresholdCount: sdk.Int32(3),
	}))
	return *out.TargetGroups[0].TargetGroupArn
}

func createListener(t *testing.T, f *fixture, lb, group string, port int32) (types.Listener, error) {
	t.Helper()
	out, err := f.elbv2(aws.RoleControlPlane).CreateListener(t.Context(), &elbv2.CreateListenerInput{
		LoadBalancerArn: &lb, Port: &port, Protocol: types.ProtocolEnumTcp,
		DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: &group}},
	})
	if err != nil {
		return types.Listener{}, err
	}
	return out.Listeners[0], nil
}

func TestNetworkBalancerLife(t *testing.T) {
	f := newFixture(t, aws.Options{})
	client, ctx := f.elbv2(aws.RoleControlPlane), t.Context()
	if _, err := client.DescribeLoadBalancers(ctx, &elbv2.DescribeLoadBalancersInput{Names: []string{lbName}}); code(t, err) != "LoadBalancerNotFound" {
		t.Error(err)
	}
	lb := createNetwork(t, f)
	group := createTargetGroup(t, f, "k8s-default-web-0123456789", 30080)
	listener, err := createListener(t, f, *lb.LoadBalancerArn, group, 80)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := createListener(t, f, *lb.LoadBalancerArn, group, 80); code(t, err) != "DuplicateListener" {
		t.Error(err)
	}
	i := f.run(t, aws.Instance{})
	must[*elbv2.RegisterTargetsOutput](t)(client.RegisterTargets(ctx, &elbv2.RegisterTargetsInput{TargetGroupArn: &group,
		Targets: []types.TargetDescription{{Id: &i.ID, Port: sdk.Int32(30080)}}}))
	health := must[*elbv2.DescribeTargetHealthOutput](t)(client.DescribeTargetHealth(ctx, &elbv2.DescribeTargetHealthInput{TargetGroupArn: &group}))
	if got := health.TargetHealthDescriptions[0]; *got.Target.Id != i.ID || got.TargetHealth.State != types.TargetHealthStateEnumHealthy {
		t.Errorf("target %s is %s", *got.Target.Id, got.TargetHealth.State)
	}
	want := aws.LoadBalancer{
		Name: lbName, Type: "network", DNSName: *lb.DNSName, ARN: *lb.LoadBalancerArn, Scheme: "internet-facing",
		Instances: []string{i.ID}, Listeners: []aws.Listener{{Protocol: "TCP", Port: 80, InstanceProtocol: "TCP", InstancePort: 30080}},
		Subnets: []string{f.Network().Subnets["us-east-1a"]}, Tags: map[string]string{"k": "v"},
	}
	if diff := cmp.Diff([]aws.LoadBalancer{want}, f.LoadBalancers(), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	groups := must[*elbv2.DescribeTargetGroupsOutput](t)(client.DescribeTargetGroups(ctx, &elbv2.DescribeTargetGroupsInput{LoadBalancerArn: lb.LoadBalancerArn}))
	if len(groups.TargetGroups) != 1 || *groups.TargetGroups[0].HealthyThresholdCount != 3 || groups.TargetGroups[0].HealthCheckProtocol != "TCP" {
		t.Errorf("target groups %+v", groups.TargetGroups)
	}
	if _, err := client.DeleteTargetGroup(ctx, &elbv2.DeleteTargetGroupInput{TargetGroupArn: &group}); code(t, err) != "ResourceInUse" {
		t.Error(err)
	}
	next := createTargetGroup(t, f, "k8s-default-web-next", 30081)
	must[*elbv2.ModifyListenerOutput](t)(client.ModifyListener(ctx, &elbv2.ModifyListenerInput{ListenerArn: listener.ListenerArn,
		Port: sdk.Int32(80), Protocol: types.ProtocolEnumTcp,
		DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: &next}}}))
	must[*elbv2.DeleteTargetGroupOutput](t)(client.DeleteTargetGroup(ctx, &elbv2.DeleteTargetGroupInput{TargetGroupArn: &group}))
	must[*elbv2.DeleteLoadBalancerOutput](t)(client.DeleteLoadBalancer(ctx, &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: lb.LoadBalancerArn}))
	must[*elbv2.DeleteTargetGroupOutput](t)(client.DeleteTargetGroup(ctx, &elbv2.DeleteTargetGroupInput{TargetGroupArn: &next}))
	if again := createNetwork(t, f); *again.DNSName == *lb.DNSName || *again.LoadBalancerArn == *lb.LoadBalancerArn {
		t.Errorf("deleted and created again, it is still %s", *again.DNSName)
	}
}

func TestNetworkBalancerAttributesAndTags(t *testing.T) {
	f := newFixture(t, aws.Options{})
	client, ctx, lb := f.elbv2(aws.RoleControlPlane), t.Context(), createNetwork(t, f)
	modify := func(key, value string) error {
		_, err := client.ModifyLoadBalancerAttributes(ctx, &elbv2.ModifyLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn,
			Attributes: []types.LoadBalancerAttribute{{Key: &key, Value: &value}}})
		return err
	}
	if err := modify("load_balancing.cross_zone.enabled", "true"); err != nil {
		t.Fatal(err)
	}
	if err := modify("colour", "blue"); code(t, err) != "ValidationError" {
		t.Error(err)
	}
	got := map[string]string{}
	for _, a := range must[*elbv2.DescribeLoadBalancerAttributesOutput](t)(client.DescribeLoadBalancerAttributes(ctx,
		&elbv2.DescribeLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn})).Attributes {
		got[*a.Key] = *a.Value
	}
	if got["load_balancing.cross_zone.enabled"] != "true" || got["access_logs.s3.enabled"] != "false" {
		t.Errorf("attributes %v", got)
	}
	must[*elbv2.AddTagsOutput](t)(client.AddTags(ctx, &elbv2.AddTagsInput{ResourceArns: []string{*lb.LoadBalancerArn},
		Tags: []types.Tag{{Key: sdk.String("k2"), Value: sdk.String("v2")}}}))
	if diff := cmp.Diff(map[string]string{"k": "v", "k2": "v2"}, f.LoadBalancers()[0].Tags); diff != "" {
		t.Error(diff)
	}
}
