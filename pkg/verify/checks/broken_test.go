package checks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

type broken struct {
	id     string
	name   string
	at     position.Position
	breaks func(*Input)
	want   verify.Status
	seen   string // in the first finding of that status
}

func node(in *Input, i int) *downstream.Node { return &in.Nodes.Value[i] }

func args(in *Input, i int, more ...string) {
	c := &in.StaticPods.Value[i].Containers[0]
	c.Args = append(slices.Clone(c.Args), more...)
}

// ccmArgs replaces the CCM's arguments in template and pods.
func ccmArgs(in *Input, args ...string) {
	in.DaemonSets.Value[0].Containers[0].Args = args // the pods share the slice of containers
}

func instance(in *Input, i int, change func(*cloud.Instance)) {
	id := fmt.Sprintf("i-0000000%d", i)
	x := in.Cloud.Instances.Value[id]
	change(&x)
	in.Cloud.Instances.Value[id] = x
}

func migrationFile(text string) func(*Input) {
	return func(in *Input) {
		ccmArgs(in, "--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration", "--leader-migration-config=/etc/m/f.yaml")
		in.Migration = verify.Got(map[string]downstream.MigrationConfig{"/etc/m/f.yaml": {ConfigMap: "kube-system/m", Text: text}})
	}
}

const fargate = "aws:///us-west-2c/1abc-2def/fargate-ip-192-168-164-88.us-west-2.compute.internal"

// lost is an instance of the cluster behind no Node.
func lost(state, vpc string) cloud.Instance {
	return cloud.Instance{ID: "i-99999999", State: state, VPC: vpc, Launched: clusterNow.Add(-time.Hour), Tags: cloud.Tags{"kubernetes.io/cluster/demo": "owned"}}
}

var inTreeVolume = []downstream.Volume{{Name: "pv-1", InTree: true}}

var errForbidden = errors.New("forbidden")

func cases() []broken {
	const P0, P1, P2, P3, P4 = position.P0, position.P1, position.P2, position.P3, position.P4
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []broken{
		{"AWSM-201", "no update", P2, func(in *Input) { in.Rights.Value.Update = false }, fail, "update no"},
		{"AWSM-201", "not visible", P2, func(in *Input) { in.Rights = verify.Failed[downstream.Rights](errForbidden) }, unknown, "forbidden"},
		{"AWSM-202", "election off", P0, func(in *Input) { args(in, 1, "--leader-elect=false") }, fail, "--leader-elect=false"},
		{"AWSM-202", "another namespace", P3, func(in *Input) {
			ccmArgs(in, "--cloud-provider=aws", "--leader-elect-resource-namespace=ccm")
		}, fail, "namespace=ccm"},
		{"AWSM-202", "endpoints", P0, func(in *Input) { args(in, 0, "--leader-elect-resource-lock=endpointsleases") }, fail, "endpointsleases"},
		{"AWSM-202", "unreadable", P0, func(in *Input) { args(in, 0, "--leader-elect-renew-deadline=ten") }, fail, "ten"},
		{"AWSM-202", "KCM not visible", P0, func(in *Input) { in.StaticPods.Value = in.StaticPods.Value[1:] }, unknown, "no kube-controller-manager"},
		{"AWSM-203", "differ", P0, func(in *Input) { args(in, 0, "--leader-elect-lease-duration=60s") }, warn, "1m0s"},
		{"AWSM-204", "KCM has a file", P0, func(in *Input) { args(in, 0, "--leader-migration-config=/etc/x.yaml") }, unknown, "lies on the node"},
		{"AWSM-204", "nodeipam", P3, migrationFile(goodFile + "- {name: nodeipam, component: \"*\"}\n"), fail, "nodeipam"},
		{"AWSM-204", "another lease", P3, migrationFile(strings.Replace(goodFile, lease.Migration, "other", 1)), fail, `"other"`},
		{"AWSM-204", "unquoted star", P3, migrationFile(strings.ReplaceAll(goodFile, `"*"`, "*")), fail, "yaml"},
		{"AWSM-204", "a controller is missing", P3, migrationFile(strings.Replace(goodFile, "name: route", "name: roote", 1)), fail, "route"},
		{"AWSM-204", "component of the other side", P3, migrationFile(strings.Replace(goodFile, `"*"`, "kube-controller-manager", 1)), fail, "service"},
		{"AWSM-204", "no lock in v1beta1", P3, migrationFile(strings.Replace(goodFile, "k8s.io/v1", "k8s.io/v1beta1", 1)), fail, "resourceLock"},
		{"AWSM-204", "not a ConfigMap", P3, func(in *Input) { ccmArgs(in, "--leader-migration-config=/host/f.yaml") }, unknown, "not in a ConfigMap"},
		{"AWSM-205", "a Deployment", P0, func(in *Input) {
			in.Workloads.Value = []downstream.Workload{{Object: downstream.Object{Kind: "Deployment", Namespace: "kube-system", Name: "kcm"}, Containers: []downstream.Container{{Image: "registry/kube-controller-manager:v1.26.13"}}}}
		}, fail, "runs a kube-controller-manager"},
		{"AWSM-205", "a static pod on a worker", P0, func(in *Input) { in.StaticPods.Value[2].Node = nodeName(5) }, fail, "runs a kube"},
		{"AWSM-205", "not visible", P0, func(in *Input) { in.Workloads = verify.Failed[[]downstream.Workload](errForbidden) }, unknown, "could not be read"},
		{"AWSM-206", "on a worker", P0, func(in *Input) { in.Leases.Value.KCM = heldBy("ip-10-0-0-14_z", "kube-controller-manager") }, fail, nodeName(4)},
		{"AWSM-206", "on no node", P0, func(in *Input) { in.Leases.Value.KCM = heldBy("laptop_z", "kube-controller-manager") }, warn, "laptop"},
		{"AWSM-207", "locked gate", P0, func(in *Input) { args(in, 0, "--feature-gates=ControllerManagerLeaderMigration=false") }, fail, "=false"},
		{"AWSM-207", "gone in the target", P0, func(in *Input) {
			args(in, 0, "--feature-gates=ControllerManagerLeaderMigration=true")
			in.Target = "v1.27.10+rke2r1"
		}, fail, "=true"},
		{"AWSM-207", "version not visible", P0, func(in *Input) { in.Version = verify.Failed[string](errForbidden) }, unknown, "forbidden"},
		{"AWSM-208", "still the KCM", P4, func(in *Input) { in.Leases.Value.Migration = heldBy("ip-10-0-0-10_a", "kube-controller-manager") }, fail, "kube-controller-manager"},
		{"AWSM-208", "evidence disagrees", P2, func(in *Input) { in.Leases.Value.Migration = heldBy("ip-10-0-0-10_a", "kubectl-edit") }, fail, "undecided"},
		{"AWSM-208", "no lease", P2, func(in *Input) { in.Leases.Value.Migration = lease.Series{} }, fail, "no lease"},
		{"AWSM-209", "frozen", P4, func(in *Input) {
			s := &in.Leases.Value.Migration
			s.Last.Renew, s.Last.At = s.First.Renew, 10*time.Second
		}, fail, "stuck"},
		{"AWSM-209", "leases not visible", P4, func(in *Input) { in.Leases = verify.Failed[lease.Leases](errForbidden) }, unknown, "forbidden"},
		{"AWSM-210", "KCM without flag", P3, func(in *Input) { args(in, 1, "--enable-leader-migration=false") }, fail, "without enable-leader-migration"},
		{"AWSM-210", "CCM without flag", P3, func(in *Input) { ccmArgs(in, "--cloud-provider=aws") }, fail, "CCM without"},
		{"AWSM-211", "external with flag", P4, func(in *Input) { args(in, 1, "--enable-leader-migration") }, fail, "external with"},
		{"AWSM-212", "v1.28 without file", P3, func(in *Input) { in.DaemonSets.Value[0].Containers[0].Image = "r/aws/cloud-controller-manager:v1.28.1" }, fail, "without --leader-migration-config"},
		{"AWSM-212", "no readable tag", P3, func(in *Input) {
			in.DaemonSets.Value[0].Containers[0].Image = "r/aws/cloud-controller-manager@sha256:1"
		}, fail, "no readable version"},
		{"AWSM-213", "by hand", P2, func(in *Input) { in.Rights.Value.Get = false; in.Position = position.Compute(in.Evidence(nil)) }, fail, "by hand"},
		{"AWSM-213", "between", P2, func(in *Input) {
			args(in, 0, "--enable-leader-migration=false")
			in.Position = position.Compute(in.Evidence(nil))
		}, warn, "between P1 and P2"},
		{"AWSM-213", "unknown", P2, func(in *Input) {
			in.Nodes = verify.Failed[[]downstream.Node](errForbidden)
			in.Position = position.Compute(in.Evidence(nil))
		}, unknown, "not known"},
		{"AWSM-214", "service off", P0, func(in *Input) { args(in, 2, "--controllers=*,tokencleaner,-service") }, fail, "-service"},
		{"AWSM-301", "empty", P0, func(in *Input) { node(in, 4).ProviderID = "" }, fail, `""`},
		{"AWSM-301", "the stub's", P0, func(in *Input) { node(in, 4).ProviderID = "rke2://x" }, fail, "rke2://x"},
		{"AWSM-301", "another provider's", P0, func(in *Input) { node(in, 4).ProviderID = "gce://p/us-central1-a/n" }, fail, "foreign, of provider gce"},
		{"AWSM-301", "Azure's", P0, func(in *Input) { node(in, 4).ProviderID = "azure:///subscriptions/x" }, fail, "of provider azure"},
		{"AWSM-301", "DigitalOcean's", P0, func(in *Input) { node(in, 4).ProviderID = "digitalocean://1" }, fail, "of provider digitalocean"},
		{"AWSM-301", "no zone", P0, func(in *Input) { node(in, 4).ProviderID = "aws:////i-00000004" }, fail, "malformed, has no zone"},
		{"AWSM-301", "a letter that looks like another", P0, func(in *Input) { node(in, 4).ProviderID = "aws:///us-еast-1a/i-00000004" }, fail, "not ASCII"},
		{"AWSM-301", "an escape sequence", P0, func(in *Input) { node(in, 4).ProviderID = "aws:///us-east-1a/\x1b[2Ji-00000004" }, fail, `\x1b[2J`},
		{"AWSM-301", "a megabyte", P0, func(in *Input) { node(in, 4).ProviderID = "aws:///us-east-1a/i-" + strings.Repeat("0", 1<<20) }, fail, "(1048596 bytes)"},
		{"AWSM-301", "Fargate, where Rancher made the nodes", P0, func(in *Input) { node(in, 4).ProviderID = fargate }, fail, "Fargate"},
		{"AWSM-302", "one instance in two zones", P0, func(in *Input) { node(in, 4).ProviderID = "aws:///us-east-1b/i-00000003" }, fail, nodeName(3)},
		{"AWSM-302", "twice", P0, func(in *Input) { node(in, 4).ProviderID = node(in, 3).ProviderID }, fail, nodeName(3)},
		{"AWSM-303", "another zone", P0, func(in *Input) { node(in, 4).Labels[downstream.LabelZone] = "us-east-1b" }, fail, "us-east-1b"},
		{"AWSM-303", "no label", P0, func(in *Input) { delete(node(in, 4).Labels, downstream.LabelZone) }, warn, "no zone label"},
		{"AWSM-304", "label is the host name", P0, func(in *Input) { node(in, 4).Labels[downstream.LabelHostname] = "demo-4" }, fail, "demo-4"},
		{"AWSM-304", "no label", P0, func(in *Input) { delete(node(in, 4).Labels, downstream.LabelHostname) }, unknown, "no evidence"},
		{"AWSM-304", "external without node-name", P0, func(in *Input) { in.EndState = External }, fail, "--node-name"},
		{"AWSM-304", "external without arguments", P0, func(in *Input) {
			in.EndState = External
			node(in, 3).Annotations = nil
			in.Nodes.Value = in.Nodes.Value[3:4]
		}, unknown, "node-args"},
		{"AWSM-305", "two nodes for a machine", P3, func(in *Input) { node(in, 4).Labels[downstream.LabelMachine] = "m3" }, fail, "2 Nodes"},
		{"AWSM-305", "two nodes for an address", P3, func(in *Input) { node(in, 4).Addresses = node(in, 3).Addresses }, fail, nodeName(3)},
		{"AWSM-306", "stuck", P4, func(in *Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintUninitialized, Value: "true", Effect: "NoSchedule"}}
		}, fail, "10 minutes"},
		{"AWSM-306", "new", P4, func(in *Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintUninitialized, Value: "true", Effect: "NoSchedule"}}
			node(in, 5).Created = clusterNow.Add(-time.Minute)
		}, warn, "new node"},
		{"AWSM-306", "no clock", P4, func(in *Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintUninitialized}}
			in.ServerClock = time.Time{}
		}, unknown, "not known"},
		{"AWSM-307", "not ready", P0, func(in *Input) {
			node(in, 5).Ready = downstream.Condition{Status: "Unknown", Reason: "NodeStatusUnknown"}
		}, fail, "NodeStatusUnknown"},
		{"AWSM-308", "ours left", P3, func(in *Input) {
			node(in, 0).Unschedulable = true
			node(in, 0).Annotations[downstream.AnnotationOurs] = "run-1"
		}, warn, "run-1"},
		{"AWSM-308", "the user's lost", P4, func(in *Input) { in.Fingerprint.Nodes[3].Cordoned = true }, warn, "is gone"},
		{"AWSM-309", "flapping", P3, func(in *Input) { node(in, 0).Addresses = node(in, 0).Addresses[:1] }, warn, "InternalIP"},
		{"AWSM-310", "shut down", P0, func(in *Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintShutdown, Effect: "NoSchedule"}}
		}, fail, "shutdown"},
		{"AWSM-311", "still in-tree", P4, func(in *Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--cloud-provider-name=aws"]`
		}, fail, `"aws"`},
		{"AWSM-311", "no arguments", P4, func(in *Input) { node(in, 5).Annotations = nil }, unknown, "node-args"},
		{"AWSM-312", "another UID", P4, func(in *Input) { node(in, 5).UID = "other" }, fail, "registered again"},
		{"AWSM-313", "Windows", P0, func(in *Input) { node(in, 5).Labels[downstream.LabelOS] = "windows" }, fail, "Windows"},
		{"AWSM-401", "gone", P0, func(in *Input) { delete(in.Cloud.Instances.Value, "i-00000005") }, fail, "no such instance"},
		{"AWSM-401", "forbidden", P0, func(in *Input) { in.Cloud.Instances = verify.Failed[map[string]cloud.Instance](errForbidden) }, unknown, "forbidden"},
		{"AWSM-401", "its region not asked", P0, func(in *Input) {
			delete(in.Cloud.Instances.Value, "i-00000005")
			in.Cloud.Missed = map[string]string{"us-east-1": "RequestLimitExceeded"}
		}, unknown, "1 nodes could not look: RequestLimitExceeded"},
		{"AWSM-402", "stopped", P0, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.State = "stopped" }) }, fail, "stopped"},
		{"AWSM-403", "moved", P0, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.Zone = "us-east-1c" }) }, fail, "us-east-1c"},
		{"AWSM-404", "another name", P4, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.PrivateDNSName = "ip-9.ec2.internal" }) }, warn, "ip-9"},
		{"AWSM-405", "another address", P0, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.PrivateIPs = []string{"10.9.9.9"} }) }, fail, "10.0.0.15"},
		{"AWSM-405", "another address beside its own", P0, func(in *Input) {
			node(in, 5).Addresses = append(node(in, 5).Addresses, downstream.Address{Type: "InternalIP", Address: "10.8.8.8"})
		}, warn, "10.8.8.8 beside"},
		{"AWSM-405", "no address", P0, func(in *Input) { node(in, 5).Addresses = nil }, fail, "no InternalIP"},
		{"AWSM-406", "no tag", P0, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.Tags = nil }) }, fail, "no tag"},
		{"AWSM-406", "two clusters", P0, func(in *Input) {
			instance(in, 5, func(i *cloud.Instance) {
				i.Tags = cloud.Tags{"kubernetes.io/cluster/demo": "owned", "kubernetes.io/cluster/b": "owned"}
			})
		}, fail, "b, demo"},
		{"AWSM-407", "two tagged", P0, func(in *Input) {
			in.Cloud.SecurityGroups.Value["sg-2"] = cloud.Tags{"kubernetes.io/cluster/demo": "owned"}
		}, fail, "2 of its 2"},
		{"AWSM-407", "none of two", P0, func(in *Input) { in.Cloud.SecurityGroups.Value["sg-1"] = nil }, fail, "0 of its 2"},
		{"AWSM-408", "untagged", P0, func(in *Input) { in.Cloud.Subnets.Value["subnet-1"] = nil }, warn, "not tagged"},
		{"AWSM-409", "tokens required, name proven", P0, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.HTTPTokens = "required" }) }, warn, "required"},
		{"AWSM-409", "tokens required, name not proven", P0, func(in *Input) {
			instance(in, 5, func(i *cloud.Instance) { i.HTTPTokens = "required" })
			node(in, 5).Labels[downstream.LabelHostname] = "demo-5"
		}, fail, "demo-5"},
		{"AWSM-409", "AWS off, name not proven", P0, func(in *Input) {
			in.Cloud = cloud.Facts{Off: "--aws=off"}
			node(in, 5).Labels[downstream.LabelHostname] = "demo-5"
		}, unknown, "--aws=off"},
		{"AWSM-409", "AWS off, names proven", P0, func(in *Input) { in.Cloud = cloud.Facts{Off: "--aws=off"} }, warn, "--aws=off"},
		{"AWSM-410", "no tagged table", P0, func(in *Input) { in.CloudRoutes = "on" }, fail, "0 tagged"},
		{"AWSM-418", "hard", P0, func(in *Input) { in.Cloud.Roles.Value[0].Denied = []string{"ec2:DescribeAvailabilityZones"} }, fail, "DescribeAvailabilityZones"},
		{"AWSM-418", "soft", P0, func(in *Input) { in.Cloud.Roles.Value[0].Denied = []string{"elasticloadbalancing:DeregisterTargets"} }, warn, "DeregisterTargets"},
		{"AWSM-418", "denied expressly", P0, func(in *Input) {
			r := &in.Cloud.Roles.Value[0]
			r.Denied, r.Forbidden = []string{"ec2:DescribeInstances"}, []string{"ec2:DescribeInstances"}
		}, fail, "is denied ec2:DescribeInstances"},
		{"AWSM-418", "one control plane without profile", P0, func(in *Input) { instance(in, 1, func(i *cloud.Instance) { i.InstanceProfile = "" }) }, warn, "no instance profile"},
		{"AWSM-418", "no role", P0, func(in *Input) { in.Cloud.Roles.Value = nil }, unknown, "instance profile"},
		{"AWSM-421", "pod network", P3, func(in *Input) {
			in.DaemonSets.Value[0].HostNetwork = false
			instance(in, 0, func(i *cloud.Instance) { i.HTTPTokens = "required" })
		}, fail, "hop limit 1"},
		{"AWSM-422", "stopped", P0, func(in *Input) { in.Cloud.Unclaimed.Value = []cloud.Instance{lost("stopped", "vpc-1")} }, warn, "i-99999999 stopped"},
		{"AWSM-422", "runs", P4, func(in *Input) { in.Cloud.Unclaimed.Value = []cloud.Instance{lost("running", "vpc-1")} }, warn, "and no Node"},
		{"AWSM-422", "not seen", P0, func(in *Input) { in.Cloud.Unclaimed = verify.Failed[[]cloud.Instance](errForbidden) }, unknown, "forbidden"},
		{"AWSM-422", "nobody looked", P0, func(in *Input) { in.Cloud.Unclaimed = verify.Read[[]cloud.Instance]{} }, unknown, "nobody looked"},
		{"AWSM-423", "two regions", P0, func(in *Input) { node(in, 5).ProviderID = "aws:///us-west-2a/i-00000005" }, warn, "us-east-1 (5), us-west-2 (1)"},
		{"AWSM-423", "two VPCs", P0, func(in *Input) { instance(in, 5, func(i *cloud.Instance) { i.VPC = "vpc-2" }) }, warn, "vpc-1 (5), vpc-2 (1)"},
		{"AWSM-501", "migration off", P0, func(in *Input) { in.Volumes.Value = inTreeVolume }, fail, "3 nodes"},
		{"AWSM-501", "driver missing", P0, func(in *Input) {
			in.Classes.Value = []downstream.StorageClass{{Name: "gp2", Provisioner: downstream.InTreeEBS}}
			for i := range 6 {
				in.CSINodes.Value = append(in.CSINodes.Value, downstream.CSINode{Name: nodeName(i), Migrated: "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"})
			}
		}, warn, "no driver"},
		{"AWSM-502", "KCM", P0, func(in *Input) { args(in, 0, "--feature-gates=CSIMigrationAWS=false"); in.Volumes.Value = inTreeVolume }, fail, "false"},
		{"AWSM-502", "kubelet, no volumes", P0, func(in *Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--kubelet-arg=feature-gates=CSIMigrationAWS=false"]`
		}, warn, "false"},
		{"AWSM-503", "upgrade", P4, func(in *Input) { node(in, 5).ECRImages = 2; in.Target = "v1.27.10+rke2r1" }, fail, "image-credential-provider-config"},
		{"AWSM-601", "in default", P0, func(in *Input) {
			in.Releases.Value = []downstream.Release{{Namespace: "default", Name: ReleaseName, Status: "deployed"}}
		}, fail, "deployed"},
		{"AWSM-601", "to be adopted", P0, func(in *Input) {
			in.Releases.Value = []downstream.Release{{Namespace: "kube-system", Name: ReleaseName, Status: "deployed"}}
		}, warn, "deployed"},
		{"AWSM-602", "HelmChartConfig", P0, func(in *Input) {
			in.Charts.Value = []downstream.Chart{{Object: downstream.Object{Kind: "HelmChartConfig", Namespace: "kube-system", Name: ReleaseName}}}
		}, fail, "exists"},
		{"AWSM-603", "by hand", P0, func(in *Input) {
			in.CCMObjects.Value = []downstream.Object{{Kind: "ClusterRole", Name: "system:cloud-controller-manager"}}
		}, fail, "no Helm release"},
		{"AWSM-604", "zero pods", P3, func(in *Input) { d := &in.DaemonSets.Value[0]; d.Desired, d.Updated, d.Ready = 0, 0, 0 }, fail, "desired 0"},
		{"AWSM-604", "none", P3, func(in *Input) { in.DaemonSets.Value = nil }, fail, "0 DaemonSets"},
		{"AWSM-605", "upstream's default", P3, func(in *Input) {
			in.DaemonSets.Value[0].NodeSelector = map[string]string{"node-role.kubernetes.io/control-plane": ""}
		}, fail, "matches no"},
		{"AWSM-605", "planned one", P0, func(in *Input) { in.Planned = &downstream.DaemonSet{NodeSelector: map[string]string{"x": "y"}} }, fail, "matches no"},
		{"AWSM-605", "everywhere", P3, func(in *Input) { in.DaemonSets.Value[0].NodeSelector = nil }, warn, "as well"},
		{"AWSM-606", "value true", P3, func(in *Input) {
			in.DaemonSets.Value[0].Tolerations = []downstream.Toleration{{Key: "node-role.kubernetes.io/control-plane", Value: "true", Effect: "NoSchedule"}}
		}, fail, "keeps"},
		{"AWSM-607", "too new", P3, func(in *Input) {
			in.ImageAllowed = func(string, string) error { return errors.New("newer than the API server") }
		}, fail, "newer"},
		{"AWSM-608", "refused", P2, func(in *Input) { in.Admission.Value = downstream.Admission{Message: "violates PodSecurity"} }, fail, "PodSecurity"},
		{"AWSM-608", "could not try", P2, func(in *Input) { in.Admission = verify.Failed[downstream.Admission](errForbidden) }, unknown, "forbidden"},
		{"AWSM-609", "undecided", P0, func(in *Input) { node(in, 5).Network = downstream.Condition{Status: "False", Reason: "RouteCreated"} }, fail, "RouteCreated"},
		{"AWSM-609", "nobody", P4, func(in *Input) { node(in, 5).Network = downstream.Condition{Status: "False", Reason: "RouteCreated"} }, warn, "earlier route controller"},
		{"AWSM-610", "routes without CIDR", P3, func(in *Input) { ccmArgs(in, "--cloud-provider=aws", "--enable-leader-migration") }, fail, "--cluster-cidr"},
		{"AWSM-610", "no provider", P3, func(in *Input) { ccmArgs(in, "--configure-cloud-routes=false") }, fail, "--cloud-provider="},
		{"AWSM-611", "crash loop", P3, func(in *Input) { in.CCMPods.Value[0].Waiting, in.CCMPods.Value[0].Restarts = "CrashLoopBackOff", 7 }, fail, "CrashLoopBackOff"},
		{"AWSM-611", "restarted", P3, func(in *Input) { in.CCMPods.Value[0].Restarts = 1 }, warn, "1 restarts"},
		{"AWSM-612", "nobody", P3, func(in *Input) { in.Leases.Value.CCM = lease.Series{} }, fail, "does not exist"},
		{"AWSM-612", "RKE2's stub", P3, func(in *Input) { in.Leases.Value.CCM = heldBy("x_1", "rke2") }, fail, "rke2"},
		{"AWSM-613", "runs", P4, func(in *Input) {
			in.StaticPods.Value = append(in.StaticPods.Value, downstream.Pod{Namespace: "kube-system", Name: "cloud-controller-manager-a", Mirror: true, Labels: map[string]string{"component": "cloud-controller-manager"}, Containers: []downstream.Container{{Name: "cloud-controller-manager", Image: "rancher/rke2-cloud-provider:v1.26"}}})
		}, fail, "runs"},
		{"AWSM-614", "refused", P3, func(in *Input) {
			in.Events.Value = []downstream.Event{{Object: "DaemonSet kube-system/" + ReleaseName, Reason: "FailedCreate", Message: "violates PodSecurity", Warning: true}}
		}, warn, "PodSecurity"},
		{"AWSM-615", "pending", P2, func(in *Input) {
			in.Releases.Value = []downstream.Release{{Namespace: "kube-system", Name: ReleaseName, Status: "pending-install"}}
		}, warn, "pending-install"},
		{"AWSM-801", "another load balancer", P4, func(in *Input) { in.Services.Value[0].Hostnames = []string{"b2.elb.amazonaws.com"} }, fail, "b2"},
		{"AWSM-802", "none", P0, func(in *Input) { in.Services.Value[0].Hostnames = nil }, warn, "no load balancer"},
		{"AWSM-803", "sync fails", P4, func(in *Input) {
			in.Events.Value = []downstream.Event{{Object: "Service web/front", Reason: "SyncLoadBalancerFailed", Message: "AccessDenied", Warning: true, Last: clusterNow}}
		}, warn, "AccessDenied"},
		{"AWSM-802", "not visible", P1, func(in *Input) { in.Services = verify.Failed[[]downstream.Service](errForbidden) }, unknown, "forbidden"},
	}
}

const goodFile = `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: cloud-provider-extraction-migration
controllerLeaders:
- {name: service, component: "*"}
- {name: route, component: "*"}
- {name: cloud-node-lifecycle, component: "*"}
`

// Every check finds what it is there for, and says it.
func TestBroken(t *testing.T) {
	for _, tc := range cases() {
		t.Run(tc.id+" "+tc.name, func(t *testing.T) {
			if wrong := tc.judgedBy(t, All()); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// judgedBy says what is not as this case wants it; "": all is.
func (tc broken) judgedBy(t *testing.T, registry []verify.Check[Input]) string {
	t.Helper()
	in := healthy(t, tc.at)
	tc.breaks(&in)
	r := verify.RunAll(t.Context(), verify.Bind(in, registry...), verify.Options{Position: tc.at, Only: []string{tc.id}})
	if len(r.Results) != 1 {
		return fmt.Sprintf("%d results", len(r.Results))
	}
	got := r.Results[0]
	if got.Status != tc.want {
		return fmt.Sprintf("%s, want %s: %+v", got.Status, tc.want, got.Findings)
	}
	var all []string
	for _, f := range got.Findings {
		if f.Status == tc.want {
			all = append(all, f.Object+" "+f.Seen+f.Reason)
		}
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, tc.seen) {
		return fmt.Sprintf("says %q, want %q in it", text, tc.seen)
	}
	return ""
}

// A check whose body is gone is noticed by a case of its own.
func TestBlankedChecksAreNoticed(t *testing.T) {
	for i, c := range All() {
		registry := All()
		registry[i].Judge = func(Input) []verify.Finding { return nil }
		noticed := false
		for _, tc := range cases() {
			if tc.id == c.ID {
				noticed = noticed || tc.judgedBy(t, registry) != ""
			}
		}
		if !noticed {
			t.Errorf("%s finds nothing any more, and no case notices", c.ID)
		}
	}
}

// No check without a case in which it is not ok.
func TestEveryCheckCanFail(t *testing.T) {
	tested := map[string]bool{}
	for _, tc := range cases() {
		if tc.want == verify.Fail || tc.want == verify.Warn {
			tested[tc.id] = true
		}
	}
	for _, m := range verify.Metas(All()...) {
		if !tested[m.ID] {
			t.Errorf("%s has no failing case", m.ID)
		}
	}
}

// What is found broken elsewhere in the cluster never makes an unread part ok.
func TestNothingReadIsNeverOK(t *testing.T) {
	r := verify.RunAll(t.Context(), verify.Bind(Input{Position: position.Result{Position: position.Unknown}}, All()...), verify.Options{Position: position.Unknown})
	for _, res := range r.Results {
		if res.Status == verify.OK || res.Status == verify.Warn {
			t.Errorf("%s is %s although nothing was read: %+v", res.ID, res.Status, res.Findings)
		}
	}
}
