//go:build moto

package balancers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/elb"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// motoURL is the environment variable with the address of a running moto server
// (github.com/getmoto/moto), a second implementation of AWS.
const motoURL = "AWSMIGRATE_MOTO"

// side is one implementation of AWS, with two instances and the names of what was created in it.
type side struct {
	cfg       sdk.Config
	vpc       string
	subnets   []string
	instances []string
	names     []string // pairs of an ID and its name on both sides
}

// The lab's AWS and moto give the product the same load balancers after the same calls.
func TestMoto_sameReading(t *testing.T) {
	lab, moto := labSide(t), motoSide(t)
	for _, s := range []*side{lab, moto} {
		s.create(t)
	}
	a, b := lab.reading(t), moto.reading(t)
	for name, only := range map[string][]string{"the lab": without(a, b), "moto": without(b, a)} {
		for _, line := range only {
			if !slices.ContainsFunc(known(), func(part string) bool { return strings.Contains(line, part) }) {
				t.Errorf("only %s: %s", name, line)
			}
		}
	}
	t.Logf("%d lines alike, %d known differences", len(a)-len(without(a, b)), len(without(a, b))+len(without(b, a)))
}

// known returns parts of the lines in which both differ. The Elastic Load Balancing API references
// (2012-06-01, 2015-12-01) agree with the lab, except for the last one.
func known() []string {
	return []string{
		"classic subnets: us-east-1a",    // moto derives no zones from subnets
		"network scheme: ",               // moto has no default
		"policy ELBSecurityPolicy",       // moto gives a TCP listener a TLS policy
		"listeners: TCP 443 to group-0",  // the same listeners without the policy
		"listeners: TCP 8443 to group-1", //
		"access_logs.s3.enabled",         // moto has it for application load balancers only
		"preserve_client_ip.enabled",     // moto has no default
		"load_balancing.algorithm.type",  // moto has these three for network load balancers as well
		"slow_start.duration_seconds",
		"waf.fail_open.enabled",
		"port 30443: load_balancing.cross_zone.enabled", // the lab leaves it out
	}
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(line string) bool { return slices.Contains(b, line) })
}

func labSide(t *testing.T) *side {
	c := aws.New(aws.Options{})
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	id, secret, token := c.Credentials(aws.RoleAdministrator)
	net := c.Network()
	s := &side{vpc: net.VpcID, subnets: []string{net.Subnets["us-east-1a"], net.Subnets["us-east-1b"]},
		cfg: sdk.Config{Region: "us-east-1", BaseEndpoint: sdk.String(server.URL + "/as/hand/"), Credentials: credentials.NewStaticCredentialsProvider(id, secret, token)}}
	for range 2 {
		s.instances = append(s.instances, must(c.RunInstance(aws.Instance{Role: aws.RoleWorker, Zone: "us-east-1a"})).ID)
	}
	return s
}

func motoSide(t *testing.T) *side {
	url := os.Getenv(motoURL)
	if url == "" {
		t.Fatalf("%s is empty: wanted the address of a moto server", motoURL)
	}
	must(http.Post(url+"/moto-api/reset", "", nil)).Body.Close()
	s := &side{cfg: sdk.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}}
	client, ctx := ec2.NewFromConfig(s.cfg), t.Context()
	s.vpc = *must(client.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: sdk.String("10.0.0.0/16")})).Vpc.VpcId
	for i, zone := range []string{"us-east-1a", "us-east-1b"} {
		subnet := must(client.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: &s.vpc, AvailabilityZone: &zone, CidrBlock: sdk.String(fmt.Sprintf("10.0.%d.0/24", i))}))
		s.subnets = append(s.subnets, *subnet.Subnet.SubnetId)
	}
	run := must(client.RunInstances(ctx, &ec2.RunInstancesInput{ImageId: sdk.String("ami-12c6146b"), MinCount: sdk.Int32(2), MaxCount: sdk.Int32(2), SubnetId: &s.subnets[0]}))
	for _, i := range run.Instances {
		s.instances = append(s.instances, *i.InstanceId)
	}
	return s
}

func (s *side) name(id, name string) { s.names = append(s.names, id, name) }

// create makes a classic and a network load balancer, as a cloud provider does.
func (s *side) create(t *testing.T) {
	ctx := t.Context()
	groups, old, networks := ec2.NewFromConfig(s.cfg), classic.NewFromConfig(s.cfg), v2.NewFromConfig(s.cfg)
	group := must(groups.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{GroupName: sdk.String("g"), Description: sdk.String("d"), VpcId: &s.vpc})).GroupId
	must(groups.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: group, IpPermissions: []ec2types.IpPermission{{
		IpProtocol: sdk.String("tcp"), FromPort: sdk.Int32(80), ToPort: sdk.Int32(80), IpRanges: []ec2types.IpRange{{CidrIp: sdk.String("10.0.0.0/8")}, {CidrIp: sdk.String("192.168.0.0/16")}}}}}))
	name := sdk.String(balancerName(0))
	host := must(old.CreateLoadBalancer(ctx, &classic.CreateLoadBalancerInput{LoadBalancerName: name, Subnets: s.subnets[:1], SecurityGroups: []string{*group}, Scheme: sdk.String("internal"),
		Listeners: []classictypes.Listener{{Protocol: sdk.String("tcp"), LoadBalancerPort: 80, InstanceProtocol: sdk.String("tcp"), InstancePort: sdk.Int32(30080)},
			{Protocol: sdk.String("http"), LoadBalancerPort: 81, InstanceProtocol: sdk.String("http"), InstancePort: sdk.Int32(30081)}},
		Tags: []classictypes.Tag{{Key: sdk.String("kubernetes.io/cluster/demo"), Value: sdk.String("owned")}}})).DNSName
	must(old.ConfigureHealthCheck(ctx, &classic.ConfigureHealthCheckInput{LoadBalancerName: name, HealthCheck: &classictypes.HealthCheck{
		Target: sdk.String("TCP:30080"), Interval: sdk.Int32(10), Timeout: sdk.Int32(5), HealthyThreshold: sdk.Int32(2), UnhealthyThreshold: sdk.Int32(6)}}))
	must(old.ModifyLoadBalancerAttributes(ctx, &classic.ModifyLoadBalancerAttributesInput{LoadBalancerName: name, LoadBalancerAttributes: &classictypes.LoadBalancerAttributes{
		ConnectionSettings: &classictypes.ConnectionSettings{IdleTimeout: sdk.Int32(120)}, CrossZoneLoadBalancing: &classictypes.CrossZoneLoadBalancing{Enabled: true}}}))
	var members []classictypes.Instance
	for _, id := range s.instances {
		members = append(members, classictypes.Instance{InstanceId: &id})
	}
	must(old.RegisterInstancesWithLoadBalancer(ctx, &classic.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: name, Instances: members}))

	lb := must(networks.CreateLoadBalancer(ctx, &v2.CreateLoadBalancerInput{Name: sdk.String(balancerName(1)), Type: types.LoadBalancerTypeEnumNetwork,
		SubnetMappings: []types.SubnetMapping{{SubnetId: &s.subnets[0]}, {SubnetId: &s.subnets[1]}},
		Tags:           []types.Tag{{Key: sdk.String("kubernetes.io/cluster/demo"), Value: sdk.String("owned")}}})).LoadBalancers[0]
	for i, port := range []int32{443, 8443} {
		target := must(networks.CreateTargetGroup(ctx, &v2.CreateTargetGroupInput{Name: sdk.String(fmt.Sprintf("group-%d", i)), Port: sdk.Int32(30443), Protocol: types.ProtocolEnumTcp, VpcId: &s.vpc,
			TargetType: types.TargetTypeEnumInstance, HealthCheckProtocol: types.ProtocolEnumHttp, HealthCheckPort: sdk.String("32000"), HealthCheckPath: sdk.String("/healthz"),
			HealthCheckIntervalSeconds: sdk.Int32(10), HealthyThresholdCount: sdk.Int32(2), UnhealthyThresholdCount: sdk.Int32(2)})).TargetGroups[0]
		must(networks.CreateListener(ctx, &v2.CreateListenerInput{LoadBalancerArn: lb.LoadBalancerArn, Port: &port, Protocol: types.ProtocolEnumTcp,
			DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: target.TargetGroupArn}}}))
		s.name(*target.TargetGroupArn, fmt.Sprintf("group-%d", i))
		must(networks.RegisterTargets(ctx, &v2.RegisterTargetsInput{TargetGroupArn: target.TargetGroupArn, Targets: []types.TargetDescription{{Id: &s.instances[0]}, {Id: &s.instances[1]}}}))
		must(networks.ModifyTargetGroupAttributes(ctx, &v2.ModifyTargetGroupAttributesInput{TargetGroupArn: target.TargetGroupArn,
			Attributes: []types.TargetGroupAttribute{{Key: sdk.String("proxy_protocol_v2.enabled"), Value: sdk.String("false")}}}))
	}
	must(networks.ModifyLoadBalancerAttributes(ctx, &v2.ModifyLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn,
		Attributes: []types.LoadBalancerAttribute{{Key: sdk.String("load_balancing.cross_zone.enabled"), Value: sdk.String("true")}}}))
	s.name(*group, "group")
	s.name(*host, "host-0")
	s.name(*lb.DNSName, "host-1")
	for i := range 2 {
		s.name(s.subnets[i], fmt.Sprintf("subnet-%d", i))
		s.name(s.instances[i], fmt.Sprintf("instance-%d", i))
	}
}

// reading returns what the product reads, one line per value.
func (s *side) reading(t *testing.T) []string {
	read := elb.Read(t.Context(), s.cfg, nil, elb.Query{Names: map[string]bool{balancerName(0): true, balancerName(1): true}, Detail: true})
	if !read.OK() {
		t.Fatal(read.Err)
	}
	var lines []string
	for _, b := range read.Value {
		add := func(what string, value any) {
			lines = append(lines, strings.NewReplacer(s.names...).Replace(fmt.Sprintf("%s %s: %v", b.Type, what, value)))
		}
		add("name", b.Name)
		add("tags", b.Tags)
		add("targets", b.Targets)
		for _, aspect := range cloud.AllAspects() {
			for _, value := range b.Aspects[aspect] {
				add(string(aspect), value)
			}
		}
	}
	return lines
}
