package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/awschecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func one(t *testing.T, in evidence.Input, id string) verify.Result {
	t.Helper()
	r := verify.RunAll(t.Context(), verify.Bind(in, all()...), verify.Options{Position: in.Position.Position, Only: []string{id}})
	if len(r.Results) != 1 {
		t.Fatalf("%d results for %s", len(r.Results), id)
	}
	return r.Results[0]
}

// If a region did not answer, no check of its nodes is OK, and none reports something as missing.
// Earlier evidence is still judged.
func TestUnansweredIsNeitherOKNorMissing(t *testing.T) {
	for name, seen := range map[string]int{"nothing": 0, "half": 3} {
		t.Run(name, func(t *testing.T) {
			for _, p := range position.All() {
				in := healthy(t, p)
				for i := seen; i < 6; i++ {
					delete(in.Cloud.Instances.Value, fmt.Sprintf("i-0000000%d", i))
				}
				in.Cloud.Missed = map[string]string{"us-east-1": "RequestLimitExceeded"}
				r := verify.RunAll(t.Context(), verify.Bind(in, awschecks.All()...), verify.Options{Position: p})
				for _, res := range r.Results {
					if res.Status != verify.Unknown && res.Status != verify.Skip {
						t.Errorf("%s at %s is %s: %+v", res.ID, p, res.Status, res.Findings)
					}
				}
			}
		})
	}
}

// One region is forbidden: the nodes of the other are judged, and fail.
func TestOtherRegionIsJudged(t *testing.T) {
	in := healthy(t, position.P0)
	node(&in, 5).ProviderID = "aws:///eu-west-1a/i-00000005"
	delete(in.Cloud.Instances.Value, "i-00000005")
	delete(in.Cloud.Instances.Value, "i-00000004")
	in.Cloud.Missed = map[string]string{"eu-west-1": "UnauthorizedOperation"}
	got := one(t, in, "AWSM-401")
	text := fmt.Sprint(got.Findings)
	if got.Status != verify.Fail || len(got.Findings) != 2 || !strings.Contains(text, "i-00000004") || strings.Contains(text, "i-00000005") {
		t.Errorf("%s: %s", got.Status, text)
	}
}

// Nodes without an instance id do not make "every node's instance exists" true.
func TestNothingToCompareIsNotOK(t *testing.T) {
	in := healthy(t, position.P0)
	for i := range in.Nodes.Value {
		node(&in, i).ProviderID = "gce://p/z/n"
	}
	in.Cloud.Instances.Value = map[string]cloud.Instance{}
	for _, id := range []string{"AWSM-401", "AWSM-402", "AWSM-403", "AWSM-404", "AWSM-405", "AWSM-406", "AWSM-422", "AWSM-423"} {
		if got := one(t, in, id); got.Status != verify.Skip {
			t.Errorf("%s is %s", id, got.Status)
		}
	}
	in = healthy(t, position.P0)
	node(&in, 5).ProviderID = ""
	got := one(t, in, "AWSM-401")
	if got.Status != verify.OK || len(got.Findings) != 1 || !strings.Contains(got.Findings[0].Seen, nodeName(5)) {
		t.Errorf("one node without: %s %+v", got.Status, got.Findings)
	}
}

func TestFargateIsNoFaultWhereNobodyMadeTheNodes(t *testing.T) {
	in := healthy(t, position.P0)
	in.Distribution = ""
	node(&in, 5).ProviderID = fargate
	if got := one(t, in, "AWSM-301"); got.Status != verify.OK || len(got.Findings) != 1 {
		t.Errorf("%s %+v", got.Status, got.Findings)
	}
}

func TestLostInstances(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*evidence.Input, *cloud.Instance)
		want   verify.Status
	}{
		"runs":             {func(*evidence.Input, *cloud.Instance) {}, verify.Warn},
		"another VPC":      {func(_ *evidence.Input, i *cloud.Instance) { i.VPC = "vpc-9" }, verify.OK},
		"terminated":       {func(_ *evidence.Input, i *cloud.Instance) { i.State = "terminated" }, verify.OK},
		"coming up":        {func(_ *evidence.Input, i *cloud.Instance) { i.State = "pending" }, verify.OK},
		"just launched":    {func(_ *evidence.Input, i *cloud.Instance) { i.Launched = clusterNow.Add(-time.Minute) }, verify.OK},
		"stopped at once":  {func(_ *evidence.Input, i *cloud.Instance) { i.Launched, i.State = clusterNow, "stopped" }, verify.Warn},
		"no cluster clock": {func(in *evidence.Input, i *cloud.Instance) { in.ServerClock, i.Launched = time.Time{}, clusterNow }, verify.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			in, i := healthy(t, position.P0), lost("running", "vpc-1")
			tc.change(&in, &i)
			in.Cloud.Unclaimed.Value = []cloud.Instance{i}
			if got := one(t, in, "AWSM-422"); got.Status != tc.want {
				t.Errorf("%s %+v, want %s", got.Status, got.Findings, tc.want)
			}
		})
	}
}

// The fix is a command with a policy of exactly the missing actions.
func TestMissingActionsAsPolicy(t *testing.T) {
	in := healthy(t, position.P0)
	in.Cloud.Roles.Value[0].Denied = []string{"ec2:DescribeSubnets", "elasticloadbalancing:DeregisterTargets", "ec2:DescribeAvailabilityZones"}
	got := one(t, in, "AWSM-418")
	if len(got.Findings) != 2 {
		t.Fatalf("%+v", got.Findings)
	}
	for i, want := range []string{`["ec2:DescribeAvailabilityZones","ec2:DescribeSubnets"]`, `["elasticloadbalancing:DeregisterTargets"]`} {
		fix := got.Findings[i].Fix
		command, document, ok := strings.Cut(fix, " --policy-document ")
		if !ok || !strings.HasPrefix(command, "aws iam put-role-policy --role-name cp --policy-name awsmigrate-ccm-") {
			t.Fatalf("fix %q", fix)
		}
		var policy struct {
			Version   string
			Statement []struct {
				Effect, Resource string
				Action           json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(strings.Trim(document, "'")), &policy); err != nil {
			t.Fatal(err)
		}
		s := policy.Statement
		if policy.Version != "2012-10-17" || len(s) != 1 || s[0].Effect != "Allow" || s[0].Resource != "*" || string(s[0].Action) != want {
			t.Errorf("policy %+v, want the actions %s", policy, want)
		}
	}
	if got.Findings[0].Fix == got.Findings[1].Fix {
		t.Error("the second policy would replace the first")
	}
}

// No text of a cluster or of AWS reaches a finding with terminal control sequences or without a
// limit.
func TestJunkIsShown(t *testing.T) {
	junk := "\x1b[2J\u202e\x00\xff" + strings.Repeat("x", 1<<20)
	in := healthy(t, position.P4)
	for i := range in.Nodes.Value {
		n := node(&in, i)
		n.Ready = downstream.Condition{Status: "False" + junk, Reason: junk}
		n.Labels[downstream.LabelZone] = "another " + junk
		n.Labels[downstream.LabelHostname] = junk
		n.Annotations[downstream.AnnotationArgs] = junk
		n.Addresses = []downstream.Address{{Type: "InternalIP", Address: junk}}
		n.Taints = []downstream.Taint{{Key: downstream.TaintShutdown, Value: junk, Effect: junk}}
		instance(&in, i, func(x *cloud.Instance) {
			x.State, x.Zone, x.PrivateDNSName, x.VPC, x.Subnet = junk, junk, junk, junk+fmt.Sprint(i), junk
			x.Tags = cloud.Tags{cloud.TagCluster + junk: junk}
		})
	}
	in.Cloud.Unclaimed.Value = []cloud.Instance{{ID: junk, State: "running", VPC: junk + "0", PrivateDNSName: junk}}
	in.Cloud.Roles.Value[0].Denied = []string{junk}
	in.Cloud.Missed = map[string]string{"eu-west-1": junk}
	r := verify.RunAll(t.Context(), verify.Bind(in, all()...), verify.Options{Position: position.P4})
	for _, res := range r.Results {
		for _, f := range res.Findings {
			if strings.Contains(f.Reason, "the check itself failed") {
				t.Errorf("%s: %.200s", res.ID, f.Reason)
			}
			for what, text := range map[string]string{"object": f.Object, "seen": f.Seen, "wanted": f.Wanted, "fix": f.Fix, "reason": f.Reason} {
				if strings.ContainsAny(text, "\x1b\u202e\x00") || !utf8.ValidString(text) || len(text) > 3*maxShown && what != "fix" {
					t.Errorf("%s: %s is %d bytes, %.80q", res.ID, what, len(text), text)
				}
			}
		}
	}
	for _, id := range []string{"AWSM-303", "AWSM-307", "AWSM-310", "AWSM-402", "AWSM-403", "AWSM-405"} {
		if got := one(t, in, id); got.Status != verify.Fail {
			t.Errorf("%s is %s", id, got.Status)
		}
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ü and 日本": "plain, ü and 日本", `"quoted" \ text`: `"quoted" \ text`,
		"a\tb\n": `a\tb\n`, "\x1b[1m": `\x1b[1m`, "\u200b": `\u200b`, "\xff": `\xff`,
	} {
		if got := shown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := shownLines("could not look: a\x1b\nb"); got != `could not look: a\x1b`+"\nb" {
		t.Errorf("two errors: %q", got)
	}
	long := shown(strings.Repeat("é", maxShown))
	if len(shownLines(strings.Repeat("\n", 2*maxShown))) > 3*maxShown || len(long) > maxShown+30 || !strings.HasSuffix(long, "é… (8192 bytes)") {
		t.Errorf("%d bytes, ends %q", len(long), long[len(long)-30:])
	}
}
