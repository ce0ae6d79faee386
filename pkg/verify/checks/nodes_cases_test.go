package checks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// nodeCases returns the traps 3xx.
func nodeCases() []trap {
	const P0, P3, P4 = position.P0, position.P3, position.P4
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-301", "empty", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "" }, fail, `""`},
		{"AWSM-301", "the stub's", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "rke2://x" }, fail, "rke2://x"},
		{"AWSM-301", "another provider's", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "gce://p/us-central1-a/n" }, fail, "foreign, of provider gce"},
		{"AWSM-301", "Azure's", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "azure:///subscriptions/x" }, fail, "of provider azure"},
		{"AWSM-301", "DigitalOcean's", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "digitalocean://1" }, fail, "of provider digitalocean"},
		{"AWSM-301", "no zone", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws:////i-00000004" }, warn, "i-00000004, in a form"},
		{"AWSM-301", "the instance id alone", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "i-00000004" }, warn, "i-00000004, in a form"},
		{"AWSM-301", "a slash behind", P0, func(in *evidence.Input) { node(in, 4).ProviderID += "/" }, warn, "i-00000004, in a form"},
		{"AWSM-301", "the zone as a host", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws://us-east-1a/i-00000004" }, warn, "i-00000004, in a form"},
		{"AWSM-301", "something behind", P0, func(in *evidence.Input) { node(in, 4).ProviderID += "/x" }, fail, "malformed"},
		{"AWSM-301", "an id that EC2 has not", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws:///us-east-1b/i-node4" }, fail, "malformed"},
		{"AWSM-301", "a letter that looks like another", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws:///us-еast-1a/i-00000004" }, warn, "i-00000004, in a form"},
		{"AWSM-301", "an escape sequence", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws:///us-east-1a/\x1b[2Ji-00000004" }, fail, `\x1b[2J`},
		{"AWSM-301", "a megabyte", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws:///us-east-1a/i-" + strings.Repeat("0", 1<<20) }, fail, "(1048596 bytes)"},
		{"AWSM-301", "Fargate, where Rancher made the nodes", P0, func(in *evidence.Input) { node(in, 4).ProviderID = fargate }, fail, "Fargate"},
		{"AWSM-302", "one instance in two zones", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "aws:///us-east-1b/i-00000003" }, fail, nodeName(3)},
		{"AWSM-302", "one instance in two forms", P0, func(in *evidence.Input) { node(in, 4).ProviderID = "i-00000003" }, fail, nodeName(3)},
		{"AWSM-302", "twice", P0, func(in *evidence.Input) { node(in, 4).ProviderID = node(in, 3).ProviderID }, fail, nodeName(3)},
		{"AWSM-303", "another zone", P0, func(in *evidence.Input) { node(in, 4).Labels[downstream.LabelZone] = "us-east-1b" }, fail, "us-east-1b"},
		{"AWSM-303", "the old label alone", P0, func(in *evidence.Input) {
			node(in, 4).Labels[downstream.LabelZoneBeta] = node(in, 4).Zone()
			delete(node(in, 4).Labels, downstream.LabelZone)
		}, warn, "no zone label"},
		{"AWSM-303", "the old label in another zone", P0, func(in *evidence.Input) { node(in, 4).Labels[downstream.LabelZoneBeta] = "us-east-1b" }, fail, downstream.LabelZoneBeta},
		{"AWSM-303", "another region", P0, func(in *evidence.Input) { node(in, 4).Labels[labelRegion] = "eu-west-1" }, fail, "eu-west-1"},
		{"AWSM-303", "no label", P0, func(in *evidence.Input) { delete(node(in, 4).Labels, downstream.LabelZone) }, warn, "no zone label"},
		{"AWSM-304", "label is the host name", P0, func(in *evidence.Input) { node(in, 4).Labels[downstream.LabelHostname] = "demo-4" }, fail, "demo-4"},
		{"AWSM-304", "no label", P0, func(in *evidence.Input) { delete(node(in, 4).Labels, downstream.LabelHostname) }, unknown, "no evidence"},
		{"AWSM-304", "external without node-name", P0, func(in *evidence.Input) { in.EndState = evidence.External }, fail, "--node-name"},
		{"AWSM-304", "external without arguments", P0, func(in *evidence.Input) {
			in.EndState = evidence.External
			for i := range 6 {
				node(in, i).Annotations[downstream.AnnotationArgs] = `["server","--cloud-provider-name=aws","--node-name=` + nodeName(i) + `"]`
			}
			node(in, 3).Annotations = nil
		}, unknown, "node-args"},
		{"AWSM-305", "two nodes for a machine", P3, func(in *evidence.Input) { node(in, 4).Labels[downstream.LabelMachine] = "m3" }, fail, "2 Nodes"},
		{"AWSM-305", "two nodes for an address", P3, func(in *evidence.Input) { node(in, 4).Addresses = node(in, 3).Addresses }, fail, nodeName(3)},
		{"AWSM-306", "stuck", P4, func(in *evidence.Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintUninitialized, Value: "true", Effect: "NoSchedule"}}
		}, fail, "10 minutes"},
		{"AWSM-306", "new", P4, func(in *evidence.Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintUninitialized, Value: "true", Effect: "NoSchedule"}}
			node(in, 5).Created = clusterNow.Add(-time.Minute)
		}, warn, "new node"},
		{"AWSM-306", "no clock", P4, func(in *evidence.Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintUninitialized}}
			in.ServerClock = time.Time{}
		}, unknown, "not known"},
		{"AWSM-307", "not ready", P0, func(in *evidence.Input) {
			node(in, 5).Ready = downstream.Condition{Status: "Unknown", Reason: "NodeStatusUnknown"}
		}, fail, "NodeStatusUnknown"},
		{"AWSM-308", "ours left", P3, func(in *evidence.Input) {
			node(in, 0).Unschedulable = true
			node(in, 0).Annotations[downstream.AnnotationOurs] = "run-1"
		}, warn, "run-1"},
		{"AWSM-308", "the user's lost", P4, func(in *evidence.Input) { in.Fingerprint.Nodes[3].Cordoned = true }, warn, "is gone"},
		{"AWSM-309", "flapping", P3, func(in *evidence.Input) { node(in, 0).Addresses = node(in, 0).Addresses[:1] }, warn, "Hostname none"},
		{"AWSM-309", "another first address", P4, func(in *evidence.Input) {
			twoAddresses(in, 5, 2)
			in.Fingerprint.Nodes[5].Addresses = []string{"InternalIP=10.0.1.15", "InternalIP=10.0.0.15", "Hostname=" + nodeName(5)}
		}, warn, "InternalIP 10.0.0.15, 10.0.1.15"},
		{"AWSM-315", "two interfaces", P0, func(in *evidence.Input) { twoAddresses(in, 5, 2); in.Version.Value = "v1.25.16+rke2r1" }, warn, "2 network interfaces: 10.0.0.15, 10.0.1.15, and a CCM of 1.25"},
		{"AWSM-315", "interfaces not said", P0, func(in *evidence.Input) { twoAddresses(in, 5, 0); in.Version.Value = "v1.24.17+rke2r1" }, warn, "perhaps on several"},
		{"AWSM-315", "an early image of 1.26", P3, func(in *evidence.Input) {
			twoAddresses(in, 5, 2)
			in.DaemonSets.Value[0].Containers[0].Image = "mirror/cloud-controller-manager:v1.26.6"
		}, warn, "a CCM of 1.26"},
		{"AWSM-315", "an image without a version", P3, func(in *evidence.Input) {
			twoAddresses(in, 5, 2)
			in.DaemonSets.Value[0].Containers[0].Image = "mirror/ccm:latest"
		}, unknown, "not known"},
		{"AWSM-315", "1.22 in spite of node-ip", P0, func(in *evidence.Input) {
			twoAddresses(in, 5, 2)
			node(in, 5).Addresses = node(in, 5).Addresses[:1]
			in.Version.Value = "v1.22.17+rke2r1"
		}, warn, "2 network interfaces"},
		{"AWSM-310", "shut down", P0, func(in *evidence.Input) {
			node(in, 5).Taints = []downstream.Taint{{Key: downstream.TaintShutdown, Effect: "NoSchedule"}}
		}, fail, "shutdown"},
		{"AWSM-311", "still in-tree", P4, func(in *evidence.Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--cloud-provider-name=aws"]`
		}, fail, `"aws"`},
		{"AWSM-311", "no arguments", P4, func(in *evidence.Input) { node(in, 5).Annotations = nil }, unknown, "node-args"},
		{"AWSM-312", "another UID", P4, func(in *evidence.Input) { node(in, 5).UID = "other" }, fail, "registered again"},
		{"AWSM-314", "resource names at 1.24", P0, renamed("v1.24.6+rke2r1", "i-0123456789abcdef0.ec2.internal"), warn, "treats the whole name"},
		{"AWSM-314", "resource names of another region, with the CCM", P3, func(in *evidence.Input) {
			renamed("v1.22.17+rke2r1", "i-0123456789abcdef0.eu-west-1.compute.internal")(in)
			in.DaemonSets.Value[0].Containers[0].Image = "registry.k8s.io/provider-aws/cloud-controller-manager:v1.22.8"
		}, warn, "an image of 1.22"},
		{"AWSM-314", "an older image of 1.26", P0, func(in *evidence.Input) {
			renamed("v1.26.13+rke2r1", "i-0123456789abcdef0.ec2.internal")(in)
			in.Planned = &downstream.DaemonSet{Containers: []downstream.Container{{Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.6"}}}
		}, warn, "an image of 1.26"},
		{"AWSM-314", "no private DNS name, AWS off", P0, func(in *evidence.Input) {
			renamed("v1.24.6+rke2r1", "worker-5.example.com")(in)
			in.Cloud = cloud.Facts{}
		}, warn, "no private DNS name"},
		{"AWSM-313", "Windows", P0, func(in *evidence.Input) { node(in, 5).Labels[downstream.LabelOS] = "windows" }, fail, "Windows"},
	}
}

const fargate = "aws:///us-west-2c/1abc-2def/fargate-ip-192-168-164-88.us-west-2.compute.internal"

// renamed gives the last worker another name at another version, in EC2 as well.
func renamed(version, name string) func(*evidence.Input) {
	return func(in *evidence.Input) {
		in.Version = verify.Got(version)
		n := node(in, 5)
		n.Name, n.Labels[downstream.LabelHostname] = name, name
		n.Addresses[1].Address = name
		in.Machines[5].Node = name
		i := in.Cloud.Instances.Value["i-00000005"]
		i.PrivateDNSName = name
		in.Cloud.Instances.Value["i-00000005"] = i
	}
}

// twoAddresses gives a node and its instance a second internal address.
func twoAddresses(in *evidence.Input, i, interfaces int) {
	first, second := fmt.Sprintf("10.0.0.%d", 10+i), fmt.Sprintf("10.0.1.%d", 10+i)
	id := fmt.Sprintf("i-0000000%d", i)
	instance := in.Cloud.Instances.Value[id]
	instance.PrivateIPs, instance.Interfaces = []string{first, second}, interfaces
	in.Cloud.Instances.Value[id] = instance
	node(in, i).Addresses = []downstream.Address{{Type: "InternalIP", Address: first}, {Type: "InternalIP", Address: second}, {Type: "Hostname", Address: nodeName(i)}}
}

// There is no finding if the first address cannot move. The check is skipped if AWS was not asked
// for the number of interfaces.
func TestFirstAddressStays(t *testing.T) {
	for name, tt := range map[string]struct {
		version string
		change  func(*evidence.Input)
		want    verify.Status
	}{
		"one address each_ok":         {"v1.25.16+rke2r1", func(*evidence.Input) {}, verify.OK},
		"two on one interface_ok":     {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 1) }, verify.OK},
		"node-ip of RKE2_ok":          {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2); nodeArgs(in, 5, "--node-ip=10.0.0.15") }, verify.OK},
		"node-ip of the kubelet_ok":   {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2); nodeArgs(in, 5, "--kubelet-arg=node-ip=10.0.0.15") }, verify.OK},
		"one address of two shown_ok": {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2); node(in, 5).Addresses = node(in, 5).Addresses[:1] }, verify.OK},
		"image that sorts_ok":         {"v1.26.13+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2) }, verify.OK},
		"EC2 off_skipped":             {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2); in.Cloud = cloud.Facts{Off: "--aws off"} }, verify.Skip},
		"EC2 unread_unknown":          {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2); unread(in) }, verify.Unknown},
		"IPv6 as the second one_ok":   {"v1.25.16+rke2r1", func(in *evidence.Input) { twoAddresses(in, 5, 2); node(in, 5).Addresses[1].Address = "fd00::1" }, verify.OK},
		"EC2 off and one address_ok":  {"v1.25.16+rke2r1", func(in *evidence.Input) { in.Cloud = cloud.Facts{Off: "--aws off"} }, verify.OK},
		"EC2 off and 1.22_skipped":    {"v1.22.17+rke2r1", func(in *evidence.Input) { in.Cloud = cloud.Facts{Off: "--aws off"} }, verify.Skip},
		"nodes unread_unknown":        {"v1.25.16+rke2r1", func(in *evidence.Input) { in.Nodes = verify.Failed[[]downstream.Node](errors.New("away")) }, verify.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t, position.P0)
			in.Version.Value = tt.version
			tt.change(&in)
			if got := one(t, in, "AWSM-315"); got.Status != tt.want {
				t.Errorf("%s %+v, want %s", got.Status, got.Findings, tt.want)
			}
		})
	}
}

func nodeArgs(in *evidence.Input, i int, arg string) {
	node(in, i).Annotations[downstream.AnnotationArgs] = `["server","--cloud-provider-name=aws","` + arg + `"]`
}

// unread makes EC2 fail to answer for the nodes' region.
func unread(in *evidence.Input) {
	in.Cloud.Instances.Value, in.Cloud.Missed = map[string]cloud.Instance{}, map[string]string{"us-east-1": "RequestLimitExceeded"}
}
