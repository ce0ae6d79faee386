package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// ec2 returns EC2's three answers about the instance of node 5, and no answer.
func ec2() map[string]func(*evidence.Input) {
	return map[string]func(*evidence.Input){
		"gone":       func(in *evidence.Input) { delete(in.Cloud.Instances.Value, "i-00000005") },
		"terminated": func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.State = "terminated" }) },
		"stopped":    func(in *evidence.Input) { instance(in, 5, func(i *cloud.Instance) { i.State = "stopped" }) },
		"runs":       func(*evidence.Input) {},
		"off":        func(in *evidence.Input) { in.Cloud = cloud.Facts{Off: "--aws off"} },
		"unread":     unread,
	}
}

// The advice excludes what EC2 refuted, and covers every case if EC2 was not asked.
func TestAdvice_afterEC2(t *testing.T) {
	deleted := func(in *evidence.Input) {
		in.Nodes.Value = in.Nodes.Value[:5]
		in.Machines[5].Node = ""
	}
	inRKE := func(in *evidence.Input) {
		deleted(in)
		in.Machines[5].UID, in.Machines[5].Node, in.Fingerprint.Nodes[5].Machine = "", nodeName(5), ""
	}
	down := func(in *evidence.Input) { node(in, 5).Ready.Status = "Unknown" }
	withoutID := func(in *evidence.Input) { node(in, 5).ProviderID, node(in, 5).Ready.Status = "", "Unknown" }
	unprinted := func(in *evidence.Input) {
		withoutID(in)
		in.Fingerprint = nil
	}
	const restart, remove = "restart the kubelet on that machine", "delete machine demo-5 in Rancher"
	for name, tt := range map[string]struct {
		id     string
		breaks func(*evidence.Input)
		fixes  map[string][]string // by the answer: parts that the advice must have, or with "!" must not
	}{
		"Node deleted": {"AWSM-312", deleted, map[string][]string{
			"gone": {"i-00000005 is gone", remove, "!" + restart}, "terminated": {remove, "!" + restart},
			"stopped": {"start its instance i-00000005", "!" + restart}, "runs": {restart, "!" + remove},
			"off": {"was not read", restart, remove}, "unread": {"was not read", restart, remove},
		}},
		"Node deleted, cluster.yml": {"AWSM-312", inRKE, map[string][]string{
			"gone": {"remove node demo-5 from the cluster's configuration", "!" + restart, "!undo"}, "runs": {restart, "!undo"}, "off": {"was not read", restart},
		}},
		"Node down": {"AWSM-307", down, map[string][]string{
			"gone": {"is gone", remove, "!bring"}, "stopped": {"start its instance"}, "runs": {"bring the node back"}, "off": {"bring the node back or remove"}, "unread": {"bring the node back or remove"},
		}},
		"Node down, instance missing": {"AWSM-401", down, map[string][]string{"gone": {remove, "another account or region"}}},
		"Node without ProviderID": {"AWSM-301", withoutID, map[string][]string{
			"gone": {"i-00000005 is gone", remove, "!find its instance"}, "terminated": {"i-00000005 is gone", remove, "!find its instance"},
			"runs": {"find its instance in EC2", "!EC2 shows no"}, "off": {"find its instance in EC2", "if it no longer has one: " + remove},
		}},
		"Node without ProviderID, unknown before": {"AWSM-301", unprinted, map[string][]string{
			"gone": {"EC2 shows no instance", remove, "!find its instance"}, "terminated": {"EC2 shows no instance", "!find its instance"},
			"runs": {"find its instance in EC2", "!EC2 shows no"}, "off": {"find its instance in EC2", "if it no longer has one: " + remove},
		}},
		"ProviderID lost": {"AWSM-312", withoutID, map[string][]string{"gone": {"i-00000005 is gone", remove}, "runs": {"write the ProviderID again"}, "off": {"write the ProviderID again"}}},
	} {
		for answer, wants := range tt.fixes {
			t.Run(name+"_"+answer, func(t *testing.T) {
				in := healthy(t, position.P3)
				ec2()[answer](&in)
				tt.breaks(&in)
				got := one(t, in, tt.id)
				fix := got.Fix
				if at := slices.IndexFunc(got.Findings, func(f verify.Finding) bool { return f.Status == verify.Fail && f.Fix != "" }); at >= 0 {
					fix = got.Findings[at].Fix
				}
				for _, want := range wants {
					not, forbidden := strings.CutPrefix(want, "!")
					if got.Status != verify.Fail || strings.Contains(fix, not) == forbidden {
						t.Errorf("%s, fix %q, wanted %q", got.Status, fix, want)
					}
				}
			})
		}
	}
}

// If the address of a deleted machine was reused, only its Node is stale, and nothing is undone.
func TestTwins_instanceOfOneGone_namesIt(t *testing.T) {
	in := healthy(t, position.P4)
	node(&in, 4).Addresses = node(&in, 5).Addresses
	ec2()["gone"](&in)
	for _, id := range []string{"AWSM-305", "AWSM-312"} {
		got := one(t, in, id)
		if got.Status != verify.Fail || !strings.Contains(got.Findings[0].Fix, "the instance of Node "+nodeName(5)+" is gone") || strings.Contains(got.Findings[0].Fix, "undo") {
			t.Errorf("%s %s %+v", id, got.Status, got.Findings)
		}
	}
	in = healthy(t, position.P4)
	node(&in, 4).Addresses = node(&in, 5).Addresses
	if got := one(t, in, "AWSM-305"); !strings.Contains(got.Findings[0].Fix, "undo") {
		t.Errorf("both there: %+v", got.Findings)
	}
}

// Nothing is undone if nothing was switched.
func TestSameNodes_beforeSwitch_advisesNoUndo(t *testing.T) {
	in := healthy(t, position.P0)
	node(&in, 5).ProviderID = "aws"
	node(&in, 4).Labels["rke.cattle.io/machine"] = "m3"
	for _, f := range one(t, in, "AWSM-312").Findings {
		if f.Status == verify.Fail && (f.Fix == "" || strings.Contains(f.Fix, "undo") && !strings.Contains(f.Seen, "a new name")) {
			t.Errorf("%+v", f)
		}
	}
}
