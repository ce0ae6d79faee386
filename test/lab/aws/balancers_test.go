package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

const lbName = "a0123456789abcdef0123456789abcde"

func classicInput(f *fixture, group string) *elb.CreateLoadBalancerInput {
	net := f.Network()
	return &elb.CreateLoadBalancerInput{
		LoadBalancerName: sdk.String(lbName),
		Listeners: []types.Listener{{Protocol: sdk.String("tcp"), LoadBalancerPort: 80,
			InstanceProtocol: sdk.String("tcp"), InstancePort: sdk.Int32(30080)}},
		Subnets:        []string{net.Subnets["us-east-1a"], net.Subnets["us-east-1b"]},
		SecurityGroups: []string{group},
		Tags:           []types.Tag{{Key: sdk.String("kubernetes.io/service-name"), Value: sdk.String("default/web")}},
	}
}

func createClassic(t *testing.T, f *fixture) string {
	t.Helper()
	out := must[*elb.CreateLoadBalancerOutput](t)(f.elb(aws.RoleControlPlane).CreateLoadBalancer(t.Context(), classicInput(f, newGroup(t, f, "g"+f.url))))
	return *out.DNSName
}

func describeClassic(t *testing.T, f *fixture) types.LoadBalancerDescription {
	t.Helper()
	out := must[*elb.DescribeLoadBalancersOutput](t)(f.elb(aws.RoleControlPlane).DescribeLoadBalancers(t.Context(),
		&elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{lbName}}))
	return out.LoadBalancerDescriptions[0]
}

func TestClassicIdentity(t *testing.T) {
	f := newFixture(t, aws.Options{})
	client := f.elb(aws.RoleControlPlane)
	if _, err := client.DescribeLoadBalancers(t.Context(), &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{lbName}}); code(t, err) != "LoadBalancerNotFound" {
		t.Error(err)
	}
	input := classicInput(f, newGroup(t, f, "g"))
	first := *must[*elb.CreateLoadBalancerOutput](t)(client.CreateLoadBalancer(t.Context(), input)).DNSName
	if !strings.HasPrefix(first, lbName+"-") || !strings.HasSuffix(first, ".us-east-1.elb.amazonaws.com") {
		t.Errorf("DNS name %s", first)
	}
	if again := *must[*elb.CreateLoadBalancerOutput](t)(client.CreateLoadBalancer(t.Context(), input)).DNSName; again != first {
		t.Errorf("the same request made another load balancer: %s", again)
	}
	other := *input
	other.Scheme = sdk.String("internal")
	if _, err := client.CreateLoadBalancer(t.Context(), &other); code(t, err) != "DuplicateLoadBalancerName" {
		t.Error(err)
	}
	for range 2 {
		must[*elb.DeleteLoadBalancerOutput](t)(client.DeleteLoadBalancer(t.Context(), &elb.DeleteLoadBalancerInput{LoadBalancerName: sdk.String(lbName)}))
	}
	if second := *must[*elb.CreateLoadBalancerOutput](t)(client.CreateLoadBalancer(t.Context(), input)).DNSName; second == first {
		t.Errorf("deleted and created again, it is still %s", second)
	}
}

func TestClassicDescription(t *testing.T) {
	f := newFixture(t, aws.Options{})
	dns := createClassic(t, f)
	got := describeClassic(t, f)
	want := types.HealthCheck{Target: sdk.String("TCP:30080"), Interval: sdk.Int32(30), Timeout: sdk.Int32(5),
		UnhealthyThreshold: sdk.Int32(2), HealthyThreshold: sdk.Int32(10)}
	if *got.DNSName != dns || *got.HealthCheck.Target != *want.Target || *got.HealthCheck.HealthyThreshold != 10 {
		t.Errorf("%s %v", *got.DNSName, got.HealthCheck)
	}
	l := got.ListenerDescriptions[0].Listener
	if *l.Protocol != "TCP" || l.LoadBalancerPort != 80 || *l.InstancePort != 30080 || l.SSLCertificateId != nil {
		t.Errorf("listener %+v", l)
	}
	if diff := cmp.Diff([]string{"us-east-1a", "us-east-1b"}, got.AvailabilityZones); diff != "" {
		t.Error(diff)
	}
	tags := must[*elb.DescribeTagsOutput](t)(func() (*elb.DescribeTagsOutput, error) {
		if err := f.SetPolicy("reader", []string{"elasticloadbalancing:DescribeTags"}); err != nil {
			return nil, err
		}
		return f.elb("reader").DescribeTags(t.Context(), &elb.DescribeTagsInput{LoadBalancerNames: []string{lbName}})
	}())
	if got := tags.TagDescriptions[0].Tags; len(got) != 1 || *got[0].Value != "default/web" {
		t.Errorf("tags %v", got)
	}
}

func TestClassicMembers(t *testing.T) {
	f := newFixture(t, aws.Options{})
	createClassic(t, f)
	a, b := f.run(t, aws.Instance{}), f.run(t, aws.Instance{})
	client := f.elb(aws.RoleControlPlane)
	members := func(ids ...string) []types.Instance {
		var out []types.Instance
		for _, id := range ids {
			out = append(out, types.Instance{InstanceId: sdk.String(id)})
		}
		return out
	}
	register := func(ids ...string) error {
		_, err := client.RegisterInstancesWithLoadBalancer(t.Context(), &elb.RegisterInstancesWithLoadBalancerInput{
			LoadBalancerName: sdk.String(lbName), Instances: members(ids...)})
		return err
	}
	if err := register(a.ID, "i-0123456789abcdef0"); code(t, err) != "InvalidInstance" {
		t.Error(err)
	}
	if got := f.LoadBalancers()[0].Instances; len(got) != 0 {
		t.Errorf("a refused call registered %v", got)
	}
	for range 2 {
		if err := register(a.ID, b.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.LoadBalancers()[0].Instances; len(got) != 2 {
		t.Errorf("members %v", got)
	}
	must[*elb.DeregisterInstancesFromLoadBalancerOutput](t)(client.DeregisterInstancesFromLoadBalancer(t.Context(),
		&elb.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: sdk.String(lbName), Instances: members(a.ID)}))
	if diff := cmp.Diff([]string{b.ID}, f.LoadBalancers()[0].Instances); diff != "" {
		t.Error(diff)
	}
	if err := f.SetInstanceState(b.ID, aws.StateTerminated); err != nil {
		t.Fatal(err)
	}
	if got := describeClassic(t, f).Instances; len(got) != 0 {
		t.Errorf("a terminated instance is still a member: %v", got)
	}
}

func TestClassicSettings(t *testing.T) {
	f := newFixture(t, aws.Options{})
	createClassic(t, f)
	client, name, net := f.elb(aws.RoleControlPlane), sdk.String(lbName), f.Network()
	ctx := t.Context()

	must[*elb.ConfigureHealthCheckOutput](t)(client.ConfigureHealthCheck(ctx, &elb.ConfigureHealthCheckInput{LoadBalancerName: name,
		HealthCheck: &types.HealthCheck{Target: sdk.String("HTTP:31000/healthz"), Interval: sdk.Int32(10), Timeout: sdk.Int32(5),
			HealthyThreshold: sdk.Int32(2), UnhealthyThreshold: sdk.Int32(6)}}))
	must[*elb.CreateLoadBalancerListenersOutput](t)(client.CreateLoadBalancerListeners(ctx, &elb.CreateLoadBalancerListenersInput{LoadBalancerName: name,
		Listeners: []types.Listener{{Protocol: sdk.String("SSL"), LoadBalancerPort: 443, InstanceProtocol: sdk.String("TCP"),
			InstancePort: sdk.Int32(30443), SSLCertificateId: sdk.String("arn:aws:acm:cert")}}}))
	if _, err := client.CreateLoadBalancerListeners(ctx, &elb.CreateLoadBalancerListenersInput{LoadBalancerName: name,
		Listeners: []types.Listener{{Protocol: sdk.String("TCP"), LoadBalancerPort: 443, InstancePort: sdk.Int32(1)}}}); code(t, err) != "DuplicateListener" {
		t.Error(err)
	}
	must[*elb.DeleteLoadBalancerListenersOutput](t)(client.DeleteLoadBalancerListeners(ctx, &elb.DeleteLoadBalancerListenersInput{
		LoadBalancerName: name, LoadBalancerPorts: []int32{80}}))
	must[*elb.AttachLoadBalancerToSubnetsOutput](t)(client.AttachLoadBalancerToSubnets(ctx, &elb.AttachLoadBalancerToSubnetsInput{
		LoadBalancerName: name, Subnets: []string{net.Subnets["us-east-1c"]}}))
	must[*elb.DetachLoadBalancerFromSubnetsOutput](t)(client.DetachLoadBalancerFromSubnets(ctx, &elb.DetachLoadBalancerFromSubnetsInput{
		LoadBalancerName: name, Subnets: []string{net.Subnets["us-east-1a"]}}))
	must[*elb.ApplySecurityGroupsToLoadBalancerOutput](t)(client.ApplySecurityGroupsToLoadBalancer(ctx, &elb.ApplySecurityGroupsToLoadBalancerInput{
		LoadBalancerName: name, SecurityGroups: []string{net.NodeSecurityGroup}}))
	must[*elb.CreateLoadBalancerPolicyOutput](t)(client.CreateLoadBalancerPolicy(ctx, &elb.CreateLoadBalancerPolicyInput{LoadBalancerName: name,
		PolicyName: sdk.String("k8s-proxyprotocol-enabled"), PolicyTypeName: sdk.String("ProxyProtocolPolicyType"),
		PolicyAttributes: []types.PolicyAttribute{{AttributeName: sdk.String("ProxyProtocol"), AttributeValue: sdk.String("true")}}}))
	must[*elb.SetLoadBalancerPoliciesForBackendServerOutput](t)(client.SetLoadBalancerPoliciesForBackendServer(ctx,
		&elb.SetLoadBalancerPoliciesForBackendServerInput{LoadBalancerName: name, InstancePort: sdk.Int32(30443), PolicyNames: []string{"k8s-proxyprotocol-enabled"}}))
	if _, err := client.SetLoadBalancerPoliciesOfListener(ctx, &elb.SetLoadBalancerPoliciesOfListenerInput{LoadBalancerName: name,
		LoadBalancerPort: 443, PolicyNames: []string{"nothing"}}); code(t, err) != "PolicyNotFound" {
		t.Error(err)
	}

	got := describeClassic(t, f)
	if len(got.ListenerDescriptions) != 1 || got.ListenerDescriptions[0].Listener.LoadBalancerPort != 443 {
		t.Errorf("listeners %v", got.ListenerDescriptions)
	}
	if diff := cmp.Diff([]string{net.Subnets["us-east-1b"], net.Subnets["us-east-1c"]}, got.Subnets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{net.NodeSecurityGroup}, got.SecurityGroups); diff != "" {
		t.Error(diff)
	}
	if *got.HealthCheck.Target != "HTTP:31000/healthz" || *got.HealthCheck.UnhealthyThreshold != 6 {
		t.Errorf("health check %v", got.HealthCheck)
	}
	if b := got.BackendServerDescriptions; len(b) != 1 || *b[0].InstancePort != 30443 || b[0].PolicyNames[0] != "k8s-proxyprotocol-enabled" {
		t.Errorf("backends %v", b)
	}
	must[*elb.SetLoadBalancerPoliciesForBackendServerOutput](t)(client.SetLoadBalancerPoliciesForBackendServer(ctx,
		&elb.SetLoadBalancerPoliciesForBackendServerInput{LoadBalancerName: name, InstancePort: sdk.Int32(30443), PolicyNames: []string{}}))
	if b := describeClassic(t, f).BackendServerDescriptions; len(b) != 0 {
		t.Errorf("backends after removal %v", b)
	}
}

func TestClassicAttributes(t *testing.T) {
	f := newFixture(t, aws.Options{})
	createClassic(t, f)
	client, name := f.elb(aws.RoleControlPlane), sdk.String(lbName)
	must[*elb.ModifyLoadBalancerAttributesOutput](t)(client.ModifyLoadBalancerAttributes(t.Context(), &elb.ModifyLoadBalancerAttributesInput{
		LoadBalancerName: name, LoadBalancerAttributes: &types.LoadBalancerAttributes{
			ConnectionDraining: &types.ConnectionDraining{Enabled: true, Timeout: sdk.Int32(20)},
			ConnectionSettings: &types.ConnectionSettings{IdleTimeout: sdk.Int32(90)},
		}}))
	got := must[*elb.DescribeLoadBalancerAttributesOutput](t)(client.DescribeLoadBalancerAttributes(t.Context(),
		&elb.DescribeLoadBalancerAttributesInput{LoadBalancerName: name})).LoadBalancerAttributes
	if !got.ConnectionDraining.Enabled || *got.ConnectionDraining.Timeout != 20 || *got.ConnectionSettings.IdleTimeout != 90 || got.CrossZoneLoadBalancing.Enabled {
		t.Errorf("attributes %+v %+v %+v", got.ConnectionDraining, got.ConnectionSettings, got.CrossZoneLoadBalancing)
	}
}

func TestClassicHoldsItsSecurityGroup(t *testing.T) {
	f := newFixture(t, aws.Options{})
	createClassic(t, f)
	group := f.LoadBalancers()[0].SecurityGroups[0]
	if _, err := f.ec2(aws.RoleControlPlane).DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &group}); code(t, err) != "DependencyViolation" {
		t.Error(err)
	}
}
