package checks

import (
	"errors"
	"fmt"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Values of the cloud config replace facts of EC2. If a cloud config exists but was not read,
// EC2's facts prove no defect.
func TestOverrides(t *testing.T) {
	const ok, warn, fail, unknown, skip = verify.OK, verify.Warn, verify.Fail, verify.Unknown, verify.Skip
	untagged := func(in *evidence.Input) {
		for i := range 6 {
			instance(in, i, func(i *cloud.Instance) { i.Tags = cloud.Tags{} })
		}
		in.Cloud.Unclaimed = verify.Read[[]cloud.Instance]{}
		in.CloudRoutes = "on"
	}
	says := func(c cloud.Config) func(*evidence.Input) {
		return func(in *evidence.Input) { in.CloudConfig = verify.Got(c) }
	}
	byArgument := func(in *evidence.Input) {
		for i := range in.StaticPods.Value {
			in.StaticPods.Value[i].Containers[0].Args = []string{"--cloud-provider=aws", "--cloud-config=/etc/x"}
		}
	}
	failed := func(in *evidence.Input) { in.CloudConfig = verify.Failed[cloud.Config](errors.New("forbidden")) }
	vpc := func(planes, workers string) func(*evidence.Input) {
		return func(in *evidence.Input) {
			for i := range 6 {
				instance(in, i, func(one *cloud.Instance) { one.VPC = map[bool]string{true: planes, false: workers}[i < 3] })
			}
		}
	}
	denied := func(in *evidence.Input) { in.Cloud.Roles.Value[0].Denied = []string{"ec2:DescribeSubnets"} }
	demo := cloud.Config{ClusterID: "demo"}
	dummy := cloud.Config{ClusterID: "demo", VPC: "vpc-1", SubnetID: "subnet-1"}
	for name, tt := range map[string]struct {
		change []func(*evidence.Input)
		want   map[string]verify.Status
	}{
		"no cloud config, no tag": {[]func(*evidence.Input){untagged}, map[string]verify.Status{"AWSM-406": fail, "AWSM-407": skip, "AWSM-422": skip}},
		"cluster id, no tag": {[]func(*evidence.Input){untagged, says(demo)},
			map[string]verify.Status{"AWSM-406": warn, "AWSM-407": ok, "AWSM-408": ok, "AWSM-410": fail, "AWSM-422": skip}},
		"cluster tag, no tag":    {[]func(*evidence.Input){untagged, says(cloud.Config{ClusterTag: "demo"})}, map[string]verify.Status{"AWSM-406": warn, "AWSM-407": ok}},
		"cluster id of the tags": {[]func(*evidence.Input){says(demo)}, map[string]verify.Status{"AWSM-406": ok, "AWSM-407": ok, "AWSM-422": ok}},
		"cluster id, two tags": {[]func(*evidence.Input){says(demo), func(in *evidence.Input) {
			instance(in, 0, func(i *cloud.Instance) {
				i.Tags = cloud.Tags{"kubernetes.io/cluster/demo": "", "kubernetes.io/cluster/other": ""}
			})
		}}, map[string]verify.Status{"AWSM-406": ok, "AWSM-407": ok}},
		"keys that differ": {[]func(*evidence.Input){says(cloud.Config{ClusterID: "a", ClusterTag: "b"})}, map[string]verify.Status{"AWSM-406": fail}},
		"in an argument, no tag": {[]func(*evidence.Input){untagged, byArgument},
			map[string]verify.Status{"AWSM-406": unknown, "AWSM-407": unknown, "AWSM-408": unknown, "AWSM-410": unknown, "AWSM-422": unknown}},
		"not read, no tag":      {[]func(*evidence.Input){untagged, failed}, map[string]verify.Status{"AWSM-406": unknown, "AWSM-407": unknown}},
		"not read, all tagged":  {[]func(*evidence.Input){byArgument}, map[string]verify.Status{"AWSM-406": ok, "AWSM-407": ok, "AWSM-408": ok, "AWSM-410": ok, "AWSM-418": ok, "AWSM-422": ok, "AWSM-423": ok}},
		"not read, EC2 off":     {[]func(*evidence.Input){byArgument, func(in *evidence.Input) { in.Cloud = cloud.Facts{Off: "--aws off"} }}, map[string]verify.Status{"AWSM-406": skip, "AWSM-407": skip, "AWSM-423": skip}},
		"route table":           {[]func(*evidence.Input){untagged, says(cloud.Config{RouteTableID: "rtb-1"})}, map[string]verify.Status{"AWSM-410": ok, "AWSM-406": fail}},
		"route table elsewhere": {[]func(*evidence.Input){says(cloud.Config{RouteTableID: "rtb-9"}), func(in *evidence.Input) { in.CloudRoutes = "on" }}, map[string]verify.Status{"AWSM-410": warn}},
		"no ingress": {[]func(*evidence.Input){says(cloud.Config{NoIngress: true}), func(in *evidence.Input) {
			in.Cloud.SecurityGroups.Value["sg-2"] = cloud.Tags{"kubernetes.io/cluster/demo": "owned"}
		}}, map[string]verify.Status{"AWSM-407": skip}},
		"group of load balancers": {[]func(*evidence.Input){says(cloud.Config{}), func(in *evidence.Input) {
			in.Cloud.SecurityGroups.Value["sg-2"] = cloud.Tags{"kubernetes.io/cluster/demo": "owned"}
		}}, map[string]verify.Status{"AWSM-407": fail}},
		"role not asked about":      {[]func(*evidence.Input){denied, says(cloud.Config{RoleARN: "arn:aws:iam::1:role/k8s"})}, map[string]verify.Status{"AWSM-418": unknown}},
		"role asked about":          {[]func(*evidence.Input){denied, says(cloud.Config{RoleARN: "arn:aws:iam::1:role/cp"})}, map[string]verify.Status{"AWSM-418": fail}},
		"role not read":             {[]func(*evidence.Input){denied, failed}, map[string]verify.Status{"AWSM-418": unknown}},
		"VPC of the workers":        {[]func(*evidence.Input){vpc("vpc-0", "vpc-1"), says(dummy)}, map[string]verify.Status{"AWSM-423": ok}},
		"VPC of no node":            {[]func(*evidence.Input){vpc("vpc-0", "vpc-2"), says(dummy)}, map[string]verify.Status{"AWSM-423": warn}},
		"VPC without a subnet":      {[]func(*evidence.Input){vpc("vpc-0", "vpc-1"), says(cloud.Config{ClusterID: "demo", VPC: "vpc-1"})}, map[string]verify.Status{"AWSM-423": warn}},
		"two VPCs, not read":        {[]func(*evidence.Input){vpc("vpc-0", "vpc-1"), byArgument}, map[string]verify.Status{"AWSM-423": unknown}},
		"zone of another region":    {[]func(*evidence.Input){says(cloud.Config{Zone: "eu-west-1a"})}, map[string]verify.Status{"AWSM-423": warn}},
		"zone of the nodes' region": {[]func(*evidence.Input){says(cloud.Config{Zone: "us-east-1c"})}, map[string]verify.Status{"AWSM-423": ok}},
		"subnet given":              {[]func(*evidence.Input){says(dummy), func(in *evidence.Input) { in.Cloud.Subnets.Value["subnet-1"] = cloud.Tags{} }}, map[string]verify.Status{"AWSM-408": ok}},
		"subnet without a VPC":      {[]func(*evidence.Input){says(cloud.Config{SubnetID: "subnet-1"}), func(in *evidence.Input) { in.Cloud.Subnets.Value["subnet-1"] = cloud.Tags{} }}, map[string]verify.Status{"AWSM-408": warn}},
	} {
		for id, want := range tt.want {
			t.Run(fmt.Sprint(name, "_", id), func(t *testing.T) {
				in := healthy(t, position.P0)
				for _, change := range tt.change {
					change(&in)
				}
				if got := one(t, in, id); got.Status != want {
					t.Errorf("%s %+v, want %s", got.Status, got.Findings, want)
				}
			})
		}
	}
}
