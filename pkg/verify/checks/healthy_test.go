package checks

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var clusterNow = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

const image = "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"

// zoneOf spreads the control planes; the workers are in the zone of the first one.
func zoneOf(i int) string { return "us-east-1" + string("abc"[min(i, 3)%3]) }

func nodeName(i int) string { return fmt.Sprintf("ip-10-0-0-%d.ec2.internal", 10+i) }

// healthyBalancer returns the load balancer of the healthy cluster's Service.
func healthyBalancer() cloud.Balancer {
	return cloud.Balancer{
		Name: cloud.BalancerName("s1"), Type: cloud.Classic, DNSName: "a1.elb.amazonaws.com",
		Aspects: map[cloud.Aspect][]string{cloud.HostName: {"a1.elb.amazonaws.com"}, cloud.Subnets: {"subnet-1"}, cloud.Targets: {"i-00000003", "i-00000004"}},
		Targets: verify.Got([]cloud.Target{{ID: "i-00000003", State: "InService", Healthy: true}, {ID: "i-00000004", State: "OutOfService"}}),
		Tags:    verify.Got(map[string]string{"kubernetes.io/cluster/demo": "owned", cloud.TagService: "web/front"}),
	}
}

// healthy returns a healthy RKE2 cluster of three control planes and three workers at a position.
func healthy(t *testing.T, p position.Position) evidence.Input {
	t.Helper()
	in := evidence.Input{Distribution: wellknown.RKE2, EndState: evidence.Overrides, Position: position.Result{Position: p, Summary: p.Summary()}}
	in.Version = verify.Got("v1.26.13+rke2r1")
	in.CCMRights = verify.Got([]downstream.AccountRights{{Namespace: wellknown.System, Name: "cloud-controller-manager"}})
	var servers []lease.Observation
	var etcds []downstream.Pod
	for i := range 3 {
		servers = append(servers, lease.Observation{Exists: true, Holder: fmt.Sprintf("kube-apiserver-%d", i), Renew: clusterNow.Add(-9 * time.Second)})
		etcds = append(etcds, downstream.Pod{Namespace: wellknown.System, Name: "etcd-" + nodeName(i), Node: nodeName(i), Mirror: true, Ready: true})
	}
	in.APIServers, in.Etcds = verify.Got(servers), verify.Got(etcds)
	var ns []downstream.Node
	var static []downstream.Pod
	instances := map[string]cloud.Instance{}
	for i := range 6 {
		n := healthyNode(i, p)
		ns = append(ns, n)
		instances[fmt.Sprintf("i-0000000%d", i)] = healthyInstance(i)
		in.Machines = append(in.Machines, continuity.MachineRef{UID: n.MachineUID(), Name: fmt.Sprintf("demo-%d", i), Node: n.Name, ControlPlane: i < 3})
		if i < 3 {
			static = append(static, downstream.Pod{
				Namespace: wellknown.System, Name: "kube-controller-manager-" + n.Name, Node: n.Name, Mirror: true, Ready: true,
				Labels:     map[string]string{"component": "kube-controller-manager"},
				Containers: []downstream.Container{{Name: "kube-controller-manager", Image: "rancher/hardened-kubernetes:v1.26.13", Args: kcmArgs(p)}},
			})
		}
	}
	in.Nodes, in.StaticPods, in.Workloads = verify.Got(ns), verify.Got(static), verify.Got[[]downstream.Workload](nil)
	in.LoosePods = verify.Got(slices.Clone(static)) // no workload makes static pods either
	healthyCCM(&in, p)
	healthyLeases(&in, p)
	granted := p >= position.P1 && p <= position.P4
	in.Rights = verify.Got(downstream.Rights{Get: granted, Update: granted, Create: true})
	in.Grant = verify.Got(downstream.GrantObjects{Role: granted, Binding: granted})
	in.Charts, in.Releases = verify.Got[[]downstream.Chart](nil), verify.Got[[]downstream.Release](nil)
	in.CCMObjects, in.Migration = verify.Got[[]downstream.Object](nil), verify.Got(map[string]downstream.MigrationConfig{})
	in.Services = verify.Got([]downstream.Service{{Namespace: "web", Name: "front", UID: "s1", Hostnames: []string{"a1.elb.amazonaws.com"}}})
	in.Volumes, in.Classes = verify.Got[[]downstream.Volume](nil), verify.Got[[]downstream.StorageClass](nil)
	in.CSINodes, in.Events = verify.Got[[]downstream.CSINode](nil), verify.Got[[]downstream.Event](nil)
	in.Admission = verify.Got(downstream.Admission{Allowed: true})
	in.ServerClock = clusterNow
	in.Cloud = cloud.Facts{
		On: true, Region: "us-east-1", Instances: verify.Got(instances),
		SecurityGroups: verify.Got(map[string]cloud.Tags{"sg-1": {"kubernetes.io/cluster/demo": "owned"}, "sg-2": {}}),
		Subnets:        verify.Got(map[string]cloud.Tags{"subnet-1": {"kubernetes.io/cluster/demo": "shared"}}),
		RouteTables:    verify.Got(map[string]cloud.Tags{"rtb-1": {}}),
		Unclaimed:      verify.Got[[]cloud.Instance](nil),
		Balancers:      verify.Got([]cloud.Balancer{healthyBalancer()}),
		GroupRules:     verify.Got(map[string]int{"sg-1": 12}),
		Roles:          verify.Got([]cloud.RoleRights{{Role: "arn:aws:iam::1:role/cp", Allowed: []string{"ec2:DescribeInstances"}}}),
	}
	in.ImageAllowed = func(string, string, string) error { return nil }
	in.ImageFor = func(string) (string, error) { return "v1.26.14", nil }
	fp, err := continuity.Take(in.Facts, cloud.Facts{Balancers: verify.Got([]cloud.Balancer{healthyBalancer()})})
	if err != nil {
		t.Fatal(err)
	}
	in.Fingerprint = &fp
	return in
}

func healthyNode(i int, p position.Position) downstream.Node {
	args := `["server","--cloud-provider-name","aws"`
	if p >= position.P4 {
		args += `,"--kubelet-arg","cloud-provider=external"`
	}
	n := downstream.Node{
		Name: nodeName(i), UID: fmt.Sprintf("n%d", i), ProviderID: fmt.Sprintf("aws:///%s/i-0000000%d", zoneOf(i), i),
		Labels: map[string]string{
			downstream.LabelHostname: nodeName(i), downstream.LabelZone: zoneOf(i),
			downstream.LabelMachine: fmt.Sprintf("m%d", i), downstream.LabelOS: "linux",
		},
		Annotations: map[string]string{downstream.AnnotationArgs: args + "]"},
		Addresses:   []downstream.Address{{Type: "InternalIP", Address: fmt.Sprintf("10.0.0.%d", 10+i)}, {Type: "Hostname", Address: nodeName(i)}},
		Ready:       downstream.Condition{Status: "True"}, Created: clusterNow.Add(-time.Hour),
	}
	if i < 3 {
		n.Labels["node-role.kubernetes.io/control-plane"] = "true"
		n.Taints = []downstream.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}}
	}
	return n
}

func healthyInstance(i int) cloud.Instance {
	return cloud.Instance{
		ID: fmt.Sprintf("i-0000000%d", i), VPC: "vpc-1", InstanceProfile: "arn:aws:iam::1:instance-profile/cp", Launched: clusterNow.Add(-time.Hour),
		State: "running", Zone: zoneOf(i), PrivateDNSName: nodeName(i), PrivateIPs: []string{fmt.Sprintf("10.0.0.%d", 10+i)},
		Tags: cloud.Tags{"kubernetes.io/cluster/demo": "owned"}, Subnet: "subnet-1", SecurityGroups: []string{"sg-1", "sg-2"},
		HTTPTokens: "optional", HopLimit: 1,
	}
}

func kcmArgs(p position.Position) []string {
	args := []string{"--cloud-provider=aws"}
	switch {
	case p >= position.P4:
		args = append(args, "--cloud-provider=external")
	case p >= position.P2:
		args = append(args, "--enable-leader-migration=true")
	}
	return args
}

func healthyCCM(in *evidence.Input, p position.Position) {
	var sets []downstream.DaemonSet
	var pods []downstream.Pod
	if p >= position.P3 {
		args := []string{"--cloud-provider=aws", "--configure-cloud-routes=false"}
		if p < position.P5 {
			args = append(args, "--enable-leader-migration=true")
		}
		cs := []downstream.Container{{Name: "aws-cloud-controller-manager", Image: image, Args: args}}
		sets = append(sets, downstream.DaemonSet{
			Object:       downstream.Object{Kind: "DaemonSet", Namespace: wellknown.System, Name: wellknown.CCM, Owner: "helm kube-system/" + wellknown.CCM},
			NodeSelector: map[string]string{"node-role.kubernetes.io/control-plane": "true"}, HostNetwork: true,
			Tolerations: []downstream.Toleration{{Operator: "Exists"}}, Containers: cs, Desired: 3, Current: 3, Ready: 3, Updated: 3, Available: 3,
		})
		for i := range 3 {
			pods = append(pods, downstream.Pod{Namespace: wellknown.System, Name: fmt.Sprintf("ccm-%d", i), Node: nodeName(i), Phase: "Running", Ready: true, Containers: cs})
		}
	}
	in.DaemonSets, in.CCMPods = verify.Got(sets), verify.Got(pods)
}

func heldBy(holder, manager string) lease.Series {
	o := lease.Observation{Exists: true, Holder: holder, Manager: manager, Renew: clusterNow, Acquire: clusterNow.Add(-time.Hour), UID: holder, Duration: component.DefaultLeaseDuration}
	s := lease.Series{First: o, Last: o}
	s.Last.Renew, s.Last.At = clusterNow.Add(2*time.Second), 2500*time.Millisecond
	return s
}

func healthyLeases(in *evidence.Input, p position.Position) {
	var l lease.Leases
	l.KCM = heldBy("ip-10-0-0-10_a", "kube-controller-manager")
	if p >= position.P3 {
		l.CCM = heldBy("ip-10-0-0-11_b", "aws-cloud-controller-manager")
	}
	switch p {
	case position.P2, position.P3:
		l.Migration = heldBy("ip-10-0-0-10_a", "kube-controller-manager")
	case position.P4:
		l.Migration = heldBy("ip-10-0-0-11_b", "aws-cloud-controller-manager")
	default: // there is no migration lease
	}
	in.Leases = verify.Got(l)
}

// A healthy cluster passes every check at every position, and its position is recognized.
func TestHealthyPasses(t *testing.T) {
	for _, p := range position.All() {
		t.Run(p.String(), func(t *testing.T) {
			in := healthy(t, p)
			if got := position.Compute(in.Evidence(nil)); got.Position != p || got.Mixed {
				t.Errorf("position %+v, want %s", got, p)
			}
			r := verify.RunAll(t.Context(), verify.Bind(in, all()...), verify.Options{Position: p})
			for _, res := range r.Results {
				if res.Status != verify.OK && res.Status != verify.Skip {
					t.Errorf("%s is %s: %+v", res.ID, res.Status, res.Findings)
				}
			}
		})
	}
}

// So does a cluster of which only the API is known.
func TestHealthyPlainPasses(t *testing.T) {
	for _, p := range position.All() {
		in := healthy(t, p)
		in.Plain = true
		for id, status := range wrong(audit(t, in)) {
			t.Errorf("at %s %s is %s", p, id, status)
		}
	}
}
