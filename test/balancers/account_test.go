package balancers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	awsreader "github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/lbchecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// account is the lab's AWS with a cluster of three control planes and two workers, and the
// cluster's Services.
type account struct {
	*aws.Cloud
	t        testing.TB
	url      string
	region   string // of the operator's options, or empty
	nodes    []downstream.Node
	services []downstream.Service
	front    http.Handler  // answers every request; the lab's AWS unless a test replaces it
	timeout  time.Duration // of one request; the default if 0

	mu    sync.Mutex
	calls []string // "service action" of the operator
}

func newAccount(t testing.TB, o aws.Options) *account {
	t.Helper()
	a := &account{t: t}
	throttle := o.Throttle
	o.Throttle = func(caller, service, action string) bool {
		if caller == "operator" {
			a.mu.Lock()
			a.calls = append(a.calls, service+" "+action)
			a.mu.Unlock()
		}
		return throttle != nil && throttle(caller, service, action)
	}
	a.Cloud = aws.New(o)
	a.front = a.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.front.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	a.url = server.URL
	for i := range 5 {
		role, labels := aws.RoleWorker, map[string]string{}
		if i < 3 {
			role, labels = aws.RoleControlPlane, map[string]string{"node-role.kubernetes.io/control-plane": "true"}
		}
		instance, err := a.RunInstance(aws.Instance{Role: role, Zone: "us-east-1" + string("abc"[i%3])})
		if err != nil {
			t.Fatal(err)
		}
		n := downstream.Node{Name: instance.PrivateDNSName, UID: fmt.Sprintf("node-%d", i), ProviderID: "aws:///" + instance.Zone + "/" + instance.ID, Labels: labels}
		n.Ready.Status = "True"
		a.nodes = append(a.nodes, n)
	}
	return a
}

func (a *account) config(role, caller string) sdk.Config {
	id, secret, token := a.Credentials(role)
	return sdk.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(id, secret, token),
		BaseEndpoint: sdk.String(a.url + "/as/" + caller + "/"), Retryer: func() sdk.Retryer { return sdk.NopRetryer{} }}
}

// The foreign hand.
func (a *account) ec2() *ec2.Client {
	return ec2.NewFromConfig(a.config(aws.RoleAdministrator, "hand"))
}
func (a *account) classic() *classic.Client {
	return classic.NewFromConfig(a.config(aws.RoleAdministrator, "hand"))
}
func (a *account) v2() *v2.Client { return v2.NewFromConfig(a.config(aws.RoleAdministrator, "hand")) }

func (a *account) instances() []string {
	var ids []string
	for _, n := range a.nodes {
		_, id, _ := downstream.ParseProviderID(n.ProviderID)
		ids = append(ids, id)
	}
	return ids
}

// uid returns the UID of the Service with a number.
func uid(number int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", number) }

func (a *account) serve(kind, host string) {
	number := len(a.services)
	a.services = append(a.services, downstream.Service{Namespace: "web", Name: fmt.Sprintf("%s-%d", kind, number), UID: uid(number), Hostnames: []string{host}})
}

// addClassic creates a Service with a classic load balancer as the cloud provider does, and
// returns the load balancer's name.
func (a *account) addClassic() string {
	a.t.Helper()
	name, net := cloud.BalancerName(uid(len(a.services))), a.Network()
	group := must(a.ec2().CreateSecurityGroup(a.t.Context(), &ec2.CreateSecurityGroupInput{GroupName: sdk.String("k8s-elb-" + name), Description: sdk.String("d"), VpcId: sdk.String(net.VpcID)}))
	a.allow(*group.GroupId, "0.0.0.0/0", 80)
	out := must(a.classic().CreateLoadBalancer(a.t.Context(), &classic.CreateLoadBalancerInput{
		LoadBalancerName: &name, Subnets: []string{net.Subnets["us-east-1a"]}, SecurityGroups: []string{*group.GroupId},
		Listeners: []classictypes.Listener{{Protocol: sdk.String("tcp"), LoadBalancerPort: 80, InstanceProtocol: sdk.String("tcp"), InstancePort: sdk.Int32(30080)}},
		Tags:      []classictypes.Tag{{Key: sdk.String("kubernetes.io/cluster/demo"), Value: sdk.String("owned")}, {Key: sdk.String(cloud.TagService), Value: sdk.String("web/classic")}}}))
	var members []classictypes.Instance
	for _, id := range a.instances() {
		members = append(members, classictypes.Instance{InstanceId: &id})
	}
	must(a.classic().RegisterInstancesWithLoadBalancer(a.t.Context(), &classic.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: &name, Instances: members}))
	a.serve("classic", *out.DNSName)
	return name
}

func (a *account) allow(group, cidr string, port int32) {
	a.t.Helper()
	must(a.ec2().AuthorizeSecurityGroupIngress(a.t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &group,
		IpPermissions: []ec2types.IpPermission{{IpProtocol: sdk.String("tcp"), FromPort: &port, ToPort: &port, IpRanges: []ec2types.IpRange{{CidrIp: &cidr}}}}}))
}

// network holds the ARNs of a network load balancer's parts.
type network struct{ balancer, group, listener string }

// addNetwork creates a Service with a network load balancer as the cloud provider does.
func (a *account) addNetwork() network {
	a.t.Helper()
	number := len(a.services)
	n := a.createNetwork(number)
	for _, lb := range a.LoadBalancers() {
		if lb.ARN == n.balancer {
			a.serve("network", lb.DNSName)
		}
	}
	return n
}

func (a *account) createNetwork(number int) network {
	a.t.Helper()
	ctx, net, port := a.t.Context(), a.Network(), sdk.Int32(30443)
	lb := must(a.v2().CreateLoadBalancer(ctx, &v2.CreateLoadBalancerInput{Name: sdk.String(cloud.BalancerName(uid(number))), Type: types.LoadBalancerTypeEnumNetwork,
		SubnetMappings: []types.SubnetMapping{{SubnetId: sdk.String(net.Subnets["us-east-1a"])}},
		Tags:           []types.Tag{{Key: sdk.String("kubernetes.io/cluster/demo"), Value: sdk.String("owned")}}}))
	group := must(a.v2().CreateTargetGroup(ctx, &v2.CreateTargetGroupInput{Name: sdk.String(fmt.Sprintf("k8s-web-network-%d", number)), Port: port, Protocol: types.ProtocolEnumTcp,
		TargetType: types.TargetTypeEnumInstance, VpcId: sdk.String(net.VpcID), HealthCheckProtocol: types.ProtocolEnumTcp, HealthCheckPort: sdk.String("traffic-port"),
		HealthCheckIntervalSeconds: sdk.Int32(30), HealthyThresholdCount: sdk.Int32(3), UnhealthyThresholdCount: sdk.Int32(3)}))
	n := network{balancer: *lb.LoadBalancers[0].LoadBalancerArn, group: *group.TargetGroups[0].TargetGroupArn}
	listener := must(a.v2().CreateListener(ctx, &v2.CreateListenerInput{LoadBalancerArn: &n.balancer, Port: sdk.Int32(443), Protocol: types.ProtocolEnumTcp,
		DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: &n.group}}}))
	n.listener = *listener.Listeners[0].ListenerArn
	must(a.v2().RegisterTargets(ctx, &v2.RegisterTargetsInput{TargetGroupArn: &n.group, Targets: a.targets(port)}))
	return n
}

func (a *account) targets(port *int32) []types.TargetDescription {
	var targets []types.TargetDescription
	for _, id := range a.instances() {
		targets = append(targets, types.TargetDescription{Id: &id, Port: port})
	}
	return targets
}

// operator returns the options of a person with the operator's rights.
func (a *account) operator() awsreader.Options {
	id, secret, token := a.Credentials(aws.RoleOperator)
	return awsreader.Options{Mode: awsreader.On, Region: a.region, Timeout: a.timeout, Identity: awsreader.Identity{
		Keys: awsreader.Keys{ID: id, Secret: secret, Token: token}, Endpoint: a.url + "/as/operator/"}}
}

// read reads the account as the product does, with the operator's rights.
func (a *account) read(detail bool) (downstream.Facts, cloud.Facts) {
	a.t.Helper()
	reader := awsreader.Start(a.t.Context(), a.operator())
	reader.LoadBalancers(a.services, detail)
	found := reader.Facts(a.nodes)
	return downstream.Facts{Nodes: verify.Got(a.nodes), Services: verify.Got(a.services)}, found
}

// findings returns the findings of the checks of load balancers that are not OK, as
// "ID status object: seen".
func (a *account) findings(endpoints map[string]int) []string {
	facts, found := a.read(false)
	facts.Endpoints = verify.Got(endpoints)
	in := evidence.Input{Facts: facts, Cloud: found, Distribution: wellknown.RKE2, Position: position.Result{Position: position.P0}, CloudConfig: verify.Got(cloud.Config{})}
	var all []string
	for _, res := range verify.RunAll(a.t.Context(), verify.Bind(in, lbchecks.All()...), verify.Options{Position: position.P0}).Results {
		for _, f := range res.Findings {
			if f.Status != verify.OK && f.Status != verify.Skip {
				all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s: %s%s", res.ID, f.Status, f.Object, f.Seen, f.Reason)))
			}
		}
	}
	return all
}

// must returns the value of a call that has to succeed. It panics, because Go passes both results
// only to a function without other parameters.
func must[T any](out T, err error) T {
	if err != nil {
		panic(err)
	}
	return out
}

// balancerName returns the name of the load balancer of the Service with a number.
func balancerName(number int) string { return cloud.BalancerName(uid(number)) }
