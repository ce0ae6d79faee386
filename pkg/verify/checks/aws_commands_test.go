package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// taggedFor tags all instances but the last for a cluster.
func taggedFor(in *evidence.Input, cluster string) {
	everyInstance(func(i *cloud.Instance) { i.Tags = cloud.Tags{cloud.TagCluster + cluster: "owned"} })(in)
	in.Cloud.Subnets.Value["subnet-1"] = cloud.Tags{cloud.TagCluster + cluster: "shared"}
	instance(in, 5, func(i *cloud.Instance) { i.Tags = nil })
}

// A tag's value never reaches a command in a form that a shell interprets.
func TestClusterIDsInCommands(t *testing.T) {
	for id, want := range map[string]string{
		"demo":          "aws ec2 create-tags --resources i-00000005 --tags Key=kubernetes.io/cluster/demo,Value=owned --region us-east-1",
		"my cluster":    "aws ec2 create-tags --resources i-00000005 --tags 'Key=kubernetes.io/cluster/my cluster,Value=owned' --region us-east-1",
		"x;reboot":      "",
		"$(reboot)":     "",
		"a' 'b":         "",
		"a,Value=b":     "",
		"~root `reboot": "",
	} {
		in := healthy(t, position.P0)
		taggedFor(&in, id)
		if got := one(t, in, "AWSM-406").Findings; len(got) != 1 || got[0].Fix != want {
			t.Errorf("%q: %+v, want %q", id, got, want)
		}
		i := lost("running", "vpc-1")
		i.Tags = cloud.Tags{cloud.TagCluster + id: "owned"}
		in.Cloud.Unclaimed.Value = []cloud.Instance{i}
		if got := one(t, in, "AWSM-422").Findings; len(got) != 1 || strings.Contains(got[0].Fix, "aws ec2") != (want != "") {
			t.Errorf("%q: %+v", id, got)
		}
	}
}

// Without an id there is no command: a user would paste a placeholder unchanged.
func TestNoClusterIsKnown(t *testing.T) {
	in := healthy(t, position.P0)
	everyInstance(func(i *cloud.Instance) { i.Tags = nil })(&in)
	for _, finding := range one(t, in, "AWSM-406").Findings {
		if strings.Contains(finding.Fix, "aws ec2") || finding.Fix == "" {
			t.Errorf("fix %q", finding.Fix)
		}
	}
	for _, id := range []string{"AWSM-407", "AWSM-408", "AWSM-410", "AWSM-422"} { // none may be OK
		if got := one(t, in, id); got.Status != verify.Skip {
			t.Errorf("%s is %s: %+v", id, got.Status, got.Findings)
		}
	}
}

// The AWS CLI asks in the configured region, the audit in those of the nodes.
func TestCommandsNameTheirRegion(t *testing.T) {
	for zone, want := range map[string]string{"eu-west-1b": " --region eu-west-1", "us-east-1-bos-1a": " --region us-east-1", "rack1": ""} {
		in := healthy(t, position.P0)
		node(&in, 5).ProviderID = "aws:///" + zone + "/i-00000005"
		in.Cloud.Subnets.Value["subnet-5"] = nil
		instance(&in, 5, func(i *cloud.Instance) { i.Zone, i.Tags, i.HTTPTokens, i.Subnet = zone, nil, "required", "subnet-5" })
		i := lost("running", "vpc-1")
		i.Zone = zone
		in.Cloud.Unclaimed.Value = []cloud.Instance{i}
		for _, id := range []string{"AWSM-406", "AWSM-408", "AWSM-409", "AWSM-422"} {
			got := one(t, in, id).Findings
			if len(got) != 1 || !strings.HasSuffix(got[0].Fix, want) || strings.Contains(got[0].Fix, "--region") != (want != "") {
				t.Errorf("%s in %s: %+v", id, zone, got)
			}
		}
	}
}

// An instance loses every tag that assigns it to the cluster.
func TestOldTagIsTakenOff(t *testing.T) {
	both := cloud.Tags{"kubernetes.io/cluster/demo": "owned", "KubernetesCluster": "demo"}
	for want, tags := range map[string]cloud.Tags{
		"--tags Key=kubernetes.io/cluster/demo":                       {"kubernetes.io/cluster/demo": "owned", "KubernetesCluster": "other"},
		"--tags Key=KubernetesCluster":                                {"KubernetesCluster": "demo"},
		"--tags Key=kubernetes.io/cluster/demo Key=KubernetesCluster": both,
	} {
		in, i := healthy(t, position.P0), lost("running", "vpc-1")
		i.Tags = tags
		in.Cloud.Unclaimed.Value = []cloud.Instance{i}
		if got := one(t, in, "AWSM-422").Findings; len(got) != 1 || !strings.HasSuffix(got[0].Fix, want+" --region us-east-1") {
			t.Errorf("%v: %+v", tags, got)
		}
	}
}

// A CCM takes the cluster from its own instance, a control plane's. Workers with another tag are
// wrong, however many they are. Control planes that differ name no cluster.
func TestControlPlaneNamesTheCluster(t *testing.T) {
	in := healthy(t, position.P0)
	for i := 1; i < 6; i++ {
		delete(node(&in, i).Labels, "node-role.kubernetes.io/control-plane")
		instance(&in, i, func(i *cloud.Instance) { i.Tags = cloud.Tags{"kubernetes.io/cluster/zzz": "owned"} })
	}
	if got := one(t, in, "AWSM-406").Findings; len(got) != 5 || strings.Contains(got[0].Object, "i-00000000") || !strings.Contains(got[0].Wanted, "demo") {
		t.Errorf("%+v", got)
	}
	if got := one(t, in, "AWSM-408"); got.Status != verify.OK { // the subnet is demo's
		t.Errorf("%+v", got)
	}
	node(&in, 1).Labels["node-role.kubernetes.io/control-plane"] = "true"
	in.Cloud.Subnets.Value["subnet-1"] = nil
	for _, id := range []string{"AWSM-407", "AWSM-408", "AWSM-410", "AWSM-422"} {
		if got := one(t, in, id); got.Status != verify.Unknown || strings.Contains(got.Findings[0].Fix, "aws ec2") {
			t.Errorf("%s: %+v", id, got)
		}
	}
	for _, f := range one(t, in, "AWSM-406").Findings {
		if f.Status != verify.Fail || strings.Contains(f.Fix, "aws ec2") {
			t.Errorf("%+v", f)
		}
	}
}
