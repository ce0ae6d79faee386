package checks

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// awsCases returns the traps 4xx.
func awsCases() []trap {
	const P0, P3, P4 = position.P0, position.P3, position.P4
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-401", "gone", P0, func(in *evidence.Input) { delete(in.Cloud.Instances.Value, "i-00000005") }, fail, "no such instance"},
		{"AWSM-401", "forbidden", P0, func(in *evidence.Input) { in.Cloud.Instances = verify.Failed[map[string]cloud.Instance](errForbidden) }, unknown, "forbidden"},
		{"AWSM-401", "its region not asked", P0, func(in *evidence.Input) {
			delete(in.Cloud.Instances.Value, "i-00000005")
			in.Cloud.Missed = map[string]string{"us-east-1": "RequestLimitExceeded"}
		}, unknown, "1 node could not look: RequestLimitExceeded"},
		{"AWSM-402", "stopped", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.State = "stopped" }) }, fail, "stopped"},
		{"AWSM-403", "moved", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.Zone = "us-east-1c" }) }, fail, "ProviderID says zone us-east-1a"},
		{"AWSM-404", "another name", P4, func(in *evidence.Input) {
			instance(in, 5, func(i *cloud.Instance) { i.PrivateDNSName = "ip-9.ec2.internal" })
		}, warn, "ip-9"},
		{"AWSM-405", "another address", P0, func(in *evidence.Input) {
			instance(in, 5, func(i *cloud.Instance) { i.PrivateIPs = []string{"10.9.9.9"} })
		}, fail, "10.0.0.15"},
		{"AWSM-405", "another address besides its own", P0, func(in *evidence.Input) {
			node(in, 5).Addresses = append(node(in, 5).Addresses, downstream.Address{Type: "InternalIP", Address: "10.8.8.8"})
		}, warn, "10.8.8.8 besides"},
		{"AWSM-405", "no address", P0, func(in *evidence.Input) { node(in, 5).Addresses = nil }, fail, "no InternalIP"},
		{"AWSM-406", "no tag", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.Tags = nil }) }, fail, "no tag"},
		{"AWSM-406", "two clusters", P0, func(in *evidence.Input) {
			instance(in, 1, func(i *cloud.Instance) {
				i.Tags = cloud.Tags{"kubernetes.io/cluster/demo": "owned", "kubernetes.io/cluster/b": "owned"}
			})
		}, fail, "b, demo"},
		{"AWSM-406", "the old tag names another cluster", P0, func(in *evidence.Input) {
			instance(in, 1, func(i *cloud.Instance) {
				i.Tags = cloud.Tags{"kubernetes.io/cluster/demo": "owned", "KubernetesCluster": "zzz"}
			})
		}, fail, "demo, zzz"},
		{"AWSM-406", "the old tag of a worker names another cluster", P0, func(in *evidence.Input) {
			instance(in, 5, func(i *cloud.Instance) {
				i.Tags = cloud.Tags{"kubernetes.io/cluster/demo": "owned", "KubernetesCluster": "zzz"}
			})
		}, warn, "demo, zzz"},
		{"AWSM-402", "terminated", P0, func(in *evidence.Input) {
			instance(in, 1, func(i *cloud.Instance) {
				*i = cloud.Instance{ID: i.ID, State: "terminated", Zone: i.Zone, Launched: i.Launched}
			})
		}, fail, "terminated"},
		{"AWSM-404", "no name", P4, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.PrivateDNSName = "" }) }, warn, "DNS host names of its VPC are off"},
		{"AWSM-404", "no name before the switch", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.PrivateDNSName = "" }) }, fail, "DNS host names of its VPC are off"},
		{"AWSM-404", "no name and stopped", P0, func(in *evidence.Input) {
			instance(in, 5, func(i *cloud.Instance) { i.PrivateDNSName, i.State = "", "stopped" })
		}, unknown, "does not say"},
		{"AWSM-410", "no table was shown", P0, func(in *evidence.Input) {
			in.CloudRoutes, in.Cloud.RouteTables.Value = "on", map[string]cloud.Tags{}
		}, unknown, "no route table"},
		{"AWSM-410", "the VPC was not said", P0, func(in *evidence.Input) {
			in.CloudRoutes, in.Cloud.RouteTables.Value["rtb-1"] = "on", cloud.Tags{"kubernetes.io/cluster/demo": "owned"}
			instance(in, 5, func(i *cloud.Instance) { i.VPC = "" })
		}, unknown, "in which VPC"},
		{"AWSM-421", "no hop limit", P4, func(in *evidence.Input) {
			in.DaemonSets.Value[0].HostNetwork = false
			instance(in, 0, func(i *cloud.Instance) { i.HTTPTokens, i.HopLimit = "required", 0 })
		}, unknown, "does not say"},
		{"AWSM-422", "no state", P0, func(in *evidence.Input) { in.Cloud.Unclaimed.Value = []cloud.Instance{lost("", "vpc-1")} }, unknown, "in which state"},
		{"AWSM-422", "no VPC", P0, func(in *evidence.Input) { in.Cloud.Unclaimed.Value = []cloud.Instance{lost("running", "")} }, unknown, "in which VPC"},
		{"AWSM-422", "the nodes' VPC was not said", P0, func(in *evidence.Input) {
			everyInstance(func(i *cloud.Instance) { i.VPC = "" })(in)
			in.Cloud.Unclaimed.Value = []cloud.Instance{lost("running", "vpc-1")}
		}, unknown, "in which VPC"},
		{"AWSM-422", "not said when it began", P0, func(in *evidence.Input) {
			i := lost("running", "vpc-1")
			i.Launched = time.Time{}
			in.Cloud.Unclaimed.Value = []cloud.Instance{i}
		}, unknown, "since when"},
		{"AWSM-423", "no VPC", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.VPC = "" }) }, unknown, "in which VPC"},
		{"AWSM-423", "no region", P0, func(in *evidence.Input) {
			node(in, 5).ProviderID, node(in, 5).Labels[downstream.LabelZone] = "aws:///rack7/i-00000005", "rack7"
			instance(in, 5, func(i *cloud.Instance) { i.Zone = "rack7" })
		}, unknown, "in which region"},
		{"AWSM-403", "the zone of another region", P0, func(in *evidence.Input) {
			node(in, 5).ProviderID = "aws:///eu-west-1a/i-00000005"
		}, fail, "zone eu-west-1a"},
		{"AWSM-402", "no state", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.State = "" }) }, unknown, "does not say"},
		{"AWSM-403", "no zone", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.Zone = "" }) }, unknown, "does not say"},
		{"AWSM-405", "no addresses", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.PrivateIPs = nil }) }, unknown, "does not say"},
		{"AWSM-405", "IPv6 written in another way", P0, func(in *evidence.Input) {
			node(in, 5).Addresses = append(node(in, 5).Addresses, downstream.Address{Type: "InternalIP", Address: "2600:1f18:1:2:0:0:0:5"},
				downstream.Address{Type: "InternalIP", Address: "2600:1f18:1:2:0:0:0:6"})
			instance(in, 5, func(i *cloud.Instance) { i.PrivateIPs = append(i.PrivateIPs, "2600:1f18:1:2::5") })
		}, warn, "InternalIP 2600:1f18:1:2:0:0:0:6 besides"},
		{"AWSM-407", "no groups", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.SecurityGroups = nil }) }, unknown, "does not say"},
		{"AWSM-408", "a subnet that was not shown", P0, func(in *evidence.Input) { delete(in.Cloud.Subnets.Value, "subnet-1") }, unknown, "does not say"},
		{"AWSM-409", "no metadata options", P0, func(in *evidence.Input) {
			instance(in, 5, func(i *cloud.Instance) { i.HTTPTokens, i.HopLimit = "", 0 })
		}, unknown, "does not say"},
		{"AWSM-422", "its Node has another ProviderID", P0, func(in *evidence.Input) {
			node(in, 5).ProviderID = "aws:///us-east-1a/i-00000099"
			in.Cloud.Unclaimed.Value = []cloud.Instance{healthyInstance(5)}
		}, warn, "Node " + nodeName(5) + " has its name and address, but another ProviderID"},
		{"AWSM-407", "two tagged", P0, func(in *evidence.Input) {
			in.Cloud.SecurityGroups.Value["sg-2"] = cloud.Tags{"kubernetes.io/cluster/demo": "owned"}
		}, fail, "2 of its 2"},
		{"AWSM-407", "none of two", P0, func(in *evidence.Input) { in.Cloud.SecurityGroups.Value["sg-1"] = nil }, fail, "0 of its 2"},
		{"AWSM-408", "untagged", P0, func(in *evidence.Input) { in.Cloud.Subnets.Value["subnet-1"] = nil }, warn, "not tagged"},
		{"AWSM-409", "tokens required, name proven", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.HTTPTokens = "required" }) }, warn, "required"},
		{"AWSM-409", "tokens required, name not proven", P0, func(in *evidence.Input) {
			instance(in, 5, func(i *cloud.Instance) { i.HTTPTokens = "required" })
			node(in, 5).Labels[downstream.LabelHostname] = "demo-5"
		}, fail, "demo-5"},
		{"AWSM-409", "no metadata service", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.MetadataDisabled = true }) }, warn, "HttpEndpoint=disabled"},
		{"AWSM-409", "AWS off, name not proven", P0, func(in *evidence.Input) {
			in.Cloud = cloud.Facts{Off: "--aws=off"}
			node(in, 5).Labels[downstream.LabelHostname] = "demo-5"
		}, unknown, "--aws=off"},
		{"AWSM-409", "AWS off, names proven", P0, func(in *evidence.Input) { in.Cloud = cloud.Facts{Off: "--aws=off"} }, warn, "--aws=off"},
		{"AWSM-410", "no tagged table", P0, func(in *evidence.Input) { in.CloudRoutes = "on" }, fail, "0 tagged"},
		{"AWSM-418", "hard", P0, func(in *evidence.Input) { in.Cloud.Roles.Value[0].Denied = []string{"ec2:DescribeAvailabilityZones"} }, fail, "DescribeAvailabilityZones"},
		{"AWSM-418", "soft", P0, func(in *evidence.Input) {
			in.Cloud.Roles.Value[0].Denied = []string{"elasticloadbalancing:DeregisterTargets"}
		}, warn, "DeregisterTargets"},
		{"AWSM-418", "denied expressly", P0, func(in *evidence.Input) {
			r := &in.Cloud.Roles.Value[0]
			r.Denied, r.Forbidden = []string{"ec2:DescribeInstances"}, []string{"ec2:DescribeInstances"}
		}, fail, "is denied ec2:DescribeInstances"},
		{"AWSM-418", "one control plane without profile", P0, func(in *evidence.Input) { instance(in, 1, func(i *cloud.Instance) { i.InstanceProfile = "" }) }, warn, "no instance profile"},
		{"AWSM-418", "no role", P0, func(in *evidence.Input) { in.Cloud.Roles.Value = nil }, unknown, "instance profile"},
		{"AWSM-421", "pod network", P4, func(in *evidence.Input) {
			in.DaemonSets.Value[0].HostNetwork = false
			instance(in, 0, func(i *cloud.Instance) { i.HTTPTokens = "required" })
		}, fail, "hop limit 1"},
		{"AWSM-422", "stopped", P0, func(in *evidence.Input) { in.Cloud.Unclaimed.Value = []cloud.Instance{lost("stopped", "vpc-1")} }, warn, "i-99999999 stopped"},
		{"AWSM-422", "runs", P4, func(in *evidence.Input) { in.Cloud.Unclaimed.Value = []cloud.Instance{lost("running", "vpc-1")} }, warn, "and no Node"},
		{"AWSM-422", "not seen", P0, func(in *evidence.Input) { in.Cloud.Unclaimed = verify.Failed[[]cloud.Instance](errForbidden) }, unknown, "forbidden"},
		{"AWSM-422", "not checked", P0, func(in *evidence.Input) { in.Cloud.Unclaimed = verify.Read[[]cloud.Instance]{} }, unknown, "not checked"},
		{"AWSM-423", "two regions", P0, func(in *evidence.Input) {
			node(in, 5).ProviderID, node(in, 5).Labels[downstream.LabelZone] = "aws:///us-west-2a/i-00000005", "us-west-2a"
			instance(in, 5, func(i *cloud.Instance) { i.Zone = "us-west-2a" })
		}, warn, "us-east-1 (5), us-west-2 (1)"},
		{"AWSM-423", "two VPCs", P0, func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.VPC = "vpc-2" }) }, warn, "vpc-1 (5), vpc-2 (1)"},
	}
}

func instance(in *evidence.Input, i int, change func(*cloud.Instance)) {
	id := fmt.Sprintf("i-0000000%d", i)
	x := in.Cloud.Instances.Value[id]
	change(&x)
	in.Cloud.Instances.Value[id] = x
}

func inZoneA(i *cloud.Instance) { i.Zone = "us-east-1a" }

// lost returns an instance of the cluster without a Node.
func lost(state, vpc string) cloud.Instance {
	return cloud.Instance{ID: "i-99999999", State: state, Zone: "us-east-1a", VPC: vpc, Launched: clusterNow.Add(-time.Hour), Tags: cloud.Tags{"kubernetes.io/cluster/demo": "owned"}}
}
