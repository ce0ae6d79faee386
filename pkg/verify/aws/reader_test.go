package aws

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go/logging"

	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// quick keeps a test that is refused from waiting as a user would.
var quick = Options{Identity: ofProcess(), Mode: On, Actions: []string{"ec2:DescribeInstances", "ec2:CreateRoute"}, Timeout: time.Minute, TotalTimeout: 2 * time.Minute}

func TestRead_manyNodes_byTagFirst(t *testing.T) {
	nodes, instances := many(2500, "us-east-1", "demo")
	delete(instances, "i-aa000007")
	instances["i-aa000009"] = ec2Instance{region: "us-east-1"}
	f := &fake{instances: instances}
	serve(t, f)
	got := Read(t.Context(), append(nodes, downstream.Node{Name: "foreign", ProviderID: "rke2://x"}), quick)
	if !got.Instances.OK() || len(got.Instances.Value) != 2499 || len(got.Missed) != 0 {
		t.Fatalf("%d instances, missed %v, %v", len(got.Instances.Value), got.Missed, got.Instances.Err)
	}
	if _, there := got.Instances.Value["i-aa000007"]; there {
		t.Error("the missing instance was found")
	}
	want := map[string]int{
		"DescribeInstances":      7, // the probe, three pages by tag, one by the old tag, one batch, the missing one once more
		"DescribeSecurityGroups": 1, "DescribeSubnets": 1, "DescribeRouteTables": 1,
		"GetCallerIdentity": 1, "GetInstanceProfile": 1, "SimulatePrincipalPolicy": 2,
	}
	if !maps.Equal(f.sent, want) {
		t.Errorf("calls %v, want %v", f.sent, want)
	}
	if f.byTag != 4 {
		t.Errorf("%d pages by tag, want 4", f.byTag)
	}
	i := got.Instances.Value["i-aa000001"]
	if i.HTTPTokens != "required" || i.HopLimit != 1 || i.Zone != "us-east-1a" || i.State != "running" || !slices.Equal(i.PrivateIPs, []string{"10.0.0.1", "10.0.0.2", "fd00::1"}) || i.Interfaces != 1 || !i.Tags.Has("demo") || i.Launched.Year() != 2024 {
		t.Errorf("instance %+v", i)
	}
	if !got.SecurityGroups.Value["sg-1"].Has("demo") || len(got.Subnets.Value) != 1 || len(got.RouteTables.Value) != 1 {
		t.Errorf("tags %+v %+v %+v", got.SecurityGroups, got.Subnets, got.RouteTables)
	}
	r := got.Roles.Value
	if len(r) != 1 || len(r[0].Allowed) != 1 || len(r[0].Denied) != 1 || r[0].Denied[0] != "ec2:CreateRoute" {
		t.Errorf("roles %+v, %v", r, got.Roles.Err)
	}
	if got.Identity.Value.Account != "1" || got.Region != "us-east-1" {
		t.Errorf("identity %+v, region %q", got.Identity, got.Region)
	}
}

// Additional instances are read. One that EC2 still returns stays an instance without a Node.
func TestAlso_instancesWithoutNode_asked(t *testing.T) {
	for _, tag := range []string{"demo", ""} {
		nodes, instances := many(3, "us-east-1", tag)
		instances["i-cc000001"] = ec2Instance{region: "us-east-1", tag: tag}
		serve(t, &fake{instances: instances})
		r := Start(t.Context(), quick)
		r.Also([]string{"aws:///us-east-1a/i-cc000001", "aws:///us-east-1a/i-cc000002", "aws:///eu-west-1a/i-cc000003", nodes[0].ProviderID})
		got := r.Facts(nodes)
		if len(got.Instances.Value) != 4 || got.Region != "us-east-1" || len(got.Missed) != 0 {
			t.Errorf("tag %q: %d instances of %s, missed %v", tag, len(got.Instances.Value), got.Region, got.Missed)
		}
		for id, want := range map[string]cloud.Fate{"i-cc000001": cloud.Runs, "i-cc000002": cloud.Gone} {
			if fate := got.Fate("us-east-1a", id); fate != want {
				t.Errorf("tag %q: %s %q, want %q", tag, id, fate, want)
			}
		}
		if fate := got.Fate("eu-west-1a", "i-cc000003"); fate != "" {
			t.Errorf("a region that was not asked: %q", fate)
		}
		if tag != "" && (len(got.Unclaimed.Value) != 1 || got.Unclaimed.Value[0].ID != "i-cc000001") {
			t.Errorf("unclaimed %+v", got.Unclaimed)
		}
	}
}

// Without a cluster tag, instances are read by ID, and those without a Node stay unread.
func TestRead_untagged_byID(t *testing.T) {
	nodes, instances := many(450, "us-east-1", "")
	f := &fake{instances: instances, page: 150}
	serve(t, f)
	got := Read(t.Context(), nodes, quick)
	if len(got.Instances.Value) != 450 || f.byTag != 0 || got.Unclaimed.Looked {
		t.Errorf("%d instances, %d by tag, unclaimed %+v", len(got.Instances.Value), f.byTag, got.Unclaimed)
	}
	if n := f.questions("DescribeInstances"); n != 6 {
		t.Errorf("%d questions, want the probe, and 430 in three batches, two of them of two pages", n)
	}
}

func TestRead_instancesWithoutNode_unclaimed(t *testing.T) {
	for _, tag := range []string{"demo", "legacy:demo"} {
		t.Run(tag, func(t *testing.T) {
			nodes, instances := many(30, "us-east-1", tag)
			instances["i-cc000001"] = ec2Instance{region: "us-east-1", tag: tag, state: "stopped"}
			instances["i-cc000002"] = ec2Instance{region: "us-east-1", tag: "other"}
			serve(t, &fake{instances: instances})
			got := Read(t.Context(), nodes, quick)
			if u := got.Unclaimed; !u.OK() || len(u.Value) != 1 || u.Value[0].ID != "i-cc000001" || u.Value[0].State != "stopped" {
				t.Errorf("unclaimed %+v", u)
			}
			if _, there := got.Instances.Value["i-cc000001"]; there {
				t.Error("an instance without a Node is among those of the Nodes")
			}
		})
	}
}

// If the first instances have another tag than the control plane, the control plane's tag decides.
func TestRead_differentTags_controlPlaneDecides(t *testing.T) {
	nodes, instances := many(100, "us-east-1", "demo")
	for i := 1; i < 90; i++ {
		instances[fmt.Sprintf("i-aa%06x", i)] = ec2Instance{region: "us-east-1", tag: "wrong"}
	}
	instances["i-cc000001"] = ec2Instance{region: "us-east-1", tag: "demo"}
	serve(t, &fake{instances: instances})
	if u := Read(t.Context(), nodes, quick).Unclaimed; !u.OK() || len(u.Value) != 1 || u.Value[0].ID != "i-cc000001" {
		t.Errorf("unclaimed %+v", u)
	}
}

func TestAdd_repeatedPages_readOnce(t *testing.T) {
	nodes, instances := many(60, "us-east-1", "demo")
	f := &fake{instances: instances}
	serve(t, f)
	a := Start(t.Context(), quick)
	a.Add(nil)
	a.Add(nodes[:30])
	a.Add(nodes[:30]) // the list began anew
	a.Add(nodes[30:])
	got := a.Facts(nodes[1:]) // without the first Node, which was deleted
	if len(got.Instances.Value) != 59 || f.questions("DescribeInstances") != 3 {
		t.Errorf("%d instances, calls %v", len(got.Instances.Value), f.sent)
	}
	if u := got.Unclaimed; len(u.Value) != 1 || u.Value[0].ID != "i-aa000000" {
		t.Errorf("unclaimed %+v", u)
	}
}

func TestRead_severalRegions(t *testing.T) {
	east, instances := many(30, "us-east-1", "demo")
	west, more := many(3, "us-west-2", "demo")
	maps.Copy(instances, more)
	nodes := append(east, west...)
	t.Run("each is asked", func(t *testing.T) {
		serve(t, &fake{instances: instances})
		got := Read(t.Context(), nodes, quick)
		if len(got.Instances.Value) != 33 || len(got.Missed) != 0 || got.Region != "us-east-1, us-west-2" {
			t.Errorf("%d instances, missed %v, region %q", len(got.Instances.Value), got.Missed, got.Region)
		}
	})
	t.Run("one is forbidden", func(t *testing.T) {
		serve(t, &fake{instances: instances, deny: "DescribeInstances", denyIn: "us-west-2"})
		got := Read(t.Context(), nodes, quick)
		if len(got.Instances.Value) != 30 || !strings.Contains(got.MissedIn("us-west-2a"), "UnauthorizedOperation") || got.MissedIn("us-east-1a") != "" {
			t.Errorf("%d instances, missed %v", len(got.Instances.Value), got.Missed)
		}
		if got.Unclaimed.OK() || got.MissedIn("rack-1") == "" {
			t.Errorf("unclaimed %+v, missed %v", got.Unclaimed, got.Missed)
		}
	})
	t.Run("only one is asked for", func(t *testing.T) {
		serve(t, &fake{instances: instances})
		o := quick
		o.Region = "us-west-2"
		got := Read(t.Context(), nodes, o)
		if len(got.Instances.Value) != 3 || !strings.Contains(got.MissedIn("us-east-1a"), "--region is us-west-2") {
			t.Errorf("%d instances, missed %v", len(got.Instances.Value), got.Missed)
		}
	})
}

func TestRead_assumedRole(t *testing.T) {
	nodes, instances := many(1, "us-east-1", "demo")
	o := quick
	o.AssumeRole = "arn:aws:iam::2:role/audit"
	for _, tc := range []struct{ externalID, session, asked string }{
		{"", "", "arn:aws:iam::2:role/audit as awsmigrate, external id "},
		{"ticket:42", "night-audit", "arn:aws:iam::2:role/audit as night-audit, external id ticket:42"},
	} {
		role := &fake{instances: instances}
		serve(t, role)
		o.ExternalID, o.SessionName = tc.externalID, tc.session
		got := Read(t.Context(), nodes, o)
		if !got.Instances.OK() || role.requests("AssumeRole") != 1 || role.role != tc.asked {
			t.Errorf("calls %v, %v, asked for %q, want %q", role.sent, got.Instances.Err, role.role, tc.asked)
		}
	}
	serve(t, &fake{instances: instances, deny: "AssumeRole"})
	if got := Read(t.Context(), nodes, o); got.Off != "" || !got.On || got.Instances.OK() {
		t.Errorf("a role that may not be assumed: %+v", got)
	}
}

// Without a complete answer of EC2 no instance is reported as missing.
func TestRead_incompleteAnswer_notMissing(t *testing.T) {
	nodes, instances := many(30, "us-east-1", "demo")
	for _, tc := range []struct {
		name string
		fake *fake
		o    func(*Options)
		says string
	}{
		{"forbidden", &fake{deny: "DescribeInstances"}, nil, "UnauthorizedOperation"},
		{"throttled for ever", &fake{throttle: 1 << 30}, func(o *Options) { o.TotalTimeout = 4 * time.Second }, "no answer from AWS within 4s"},
		{"no answer", &fake{hang: true}, func(o *Options) { o.Timeout, o.TotalTimeout = time.Second, 1500*time.Millisecond }, ""},
		{"half an answer", &fake{cut: true}, func(o *Options) { o.TotalTimeout = 4 * time.Second }, ""},
		{"the same page again", &fake{loop: true}, nil, paging.ErrRepeats.Error()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.fake.instances = instances
			serve(t, tc.fake)
			o := quick
			if tc.o != nil {
				tc.o(&o)
			}
			start := time.Now()
			got := Read(t.Context(), nodes, o)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
			why := got.MissedIn("us-east-1a")
			if why == "" && got.Instances.OK() {
				t.Fatalf("%d instances and nothing is missed", len(got.Instances.Value))
			}
			if !strings.Contains(why, tc.says) {
				t.Errorf("says %q, want %q in it", why, tc.says)
			}
			if got.Unclaimed.OK() || got.Unclaimed.Looked && got.Unclaimed.Err == nil {
				t.Errorf("unclaimed %+v", got.Unclaimed)
			}
		})
	}
}

func TestRead_throttled_retried(t *testing.T) {
	nodes, instances := many(30, "us-east-1", "demo")
	f := &fake{instances: instances, throttle: 1}
	serve(t, f)
	o := quick
	o.TotalTimeout = time.Minute // once throttled, the SDK asks every two seconds at first
	got := Read(t.Context(), nodes, o)
	if len(got.Instances.Value) != 30 || len(got.Missed) != 0 {
		t.Fatalf("%d instances, missed %v", len(got.Instances.Value), got.Missed)
	}
	if n := f.requests("DescribeInstances"); n < 4 || f.questions("DescribeInstances") != 3 {
		t.Errorf("%d calls, want one that was refused and the answers to three questions", n)
	}
}

// A missing instance is read a second time.
func TestRead_missingInstance_readTwice(t *testing.T) {
	nodes, instances := many(10, "us-east-1", "")
	serve(t, &fake{instances: instances, short: 2})
	if got := Read(t.Context(), nodes, quick); len(got.Instances.Value) != 10 {
		t.Errorf("%d instances, want 10", len(got.Instances.Value))
	}
}

func TestRead_partFails_othersKept(t *testing.T) {
	nodes, instances := many(3, "us-east-1", "demo")
	serve(t, &fake{instances: instances, deny: "DescribeSubnets"})
	if got := Read(t.Context(), nodes, quick); !got.Instances.OK() || got.Subnets.OK() || !got.SecurityGroups.OK() {
		t.Errorf("got %+v", got)
	}
	serve(t, &fake{instances: instances, half: true})
	o := quick
	o.Actions = []string{"a:A", "a:B", "a:C", "a:D"}
	if got := Read(t.Context(), nodes, o); got.Roles.OK() || !strings.Contains(got.Roles.Err.Error(), "2 of 4") {
		t.Errorf("IAM answered for half of the actions: %+v", got.Roles)
	}
	o.Actions = o.Actions[:3]
	serve(t, &fake{instances: instances})
	if r := Read(t.Context(), nodes, o).Roles; !r.OK() || !slices.Equal(r.Value[0].Forbidden, []string{"a:C"}) || !slices.Equal(r.Value[0].Denied, []string{"a:B", "a:C"}) {
		t.Errorf("roles %+v", r)
	}
}

func TestRead_offOrNoCredentials_notAsked(t *testing.T) {
	if got := Read(t.Context(), nil, Options{Mode: Off}); got.On || got.Off == "" {
		t.Errorf("got %+v", got)
	}
	serve(t, &fake{})
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	nodes, _ := many(1, "us-east-1", "")
	if got := Read(t.Context(), nodes, Options{Identity: ofProcess(), Mode: Auto}); got.On || !strings.Contains(got.Off, "no AWS credentials") {
		t.Errorf("auto: %+v", got)
	}
	if got := Read(t.Context(), nodes, Options{Identity: ofProcess(), Mode: On}); !got.On || got.Instances.OK() || got.Roles.OK() || got.Unclaimed.OK() {
		t.Errorf("on: %+v", got)
	}
}

// Without a ProviderID of AWS nothing is read.
func TestRead_foreignNodes_nothingRead(t *testing.T) {
	f := &fake{}
	serve(t, f)
	t.Setenv("AWS_REGION", "eu-west-1")
	got := Read(t.Context(), []downstream.Node{{Name: "a", ProviderID: "gce://p/z/i"}, {Name: "b"}}, quick)
	if !got.On || !got.Instances.OK() || len(got.Instances.Value) != 0 || f.requests("DescribeInstances") != 0 {
		t.Errorf("got %+v", got)
	}
}

// The SDK's own warnings, for instance about a cut-off response, must not appear in the output.
func TestRead_SDKWarnings_notPrinted(t *testing.T) {
	serve(t, &fake{})
	cfg, off, err := connect(t.Context(), Options{Identity: ofProcess(), Mode: On}, "us-east-1")
	if err != nil || off != "" {
		t.Fatal(off, err)
	}
	if _, silent := ec2Client(cfg, "").Options().Logger.(logging.Nop); !silent {
		t.Errorf("the SDK logs to a %T", ec2Client(cfg, "").Options().Logger)
	}
	if got := ec2Client(cfg, "eu-west-1").Options().Region; got != "eu-west-1" {
		t.Errorf("region %q", got)
	}
}

// The timeouts are shorter than the time after which a program seems to hang.
func TestDefaultTimeouts_bounded(t *testing.T) {
	if DefaultTotalTimeout > time.Minute || DefaultSideTimeout > DefaultTotalTimeout || credentialTimeout > DefaultSideTimeout {
		t.Errorf("%s, %s, %s", DefaultTotalTimeout, DefaultSideTimeout, credentialTimeout)
	}
}

// Only the tags of clusters are kept of an instance.
func TestRead_instanceTags_onlyClustersKept(t *testing.T) {
	nodes, instances := many(40, "us-east-1", "demo")
	serve(t, &fake{instances: instances})
	got := Read(t.Context(), nodes, quick)
	for id, i := range got.Instances.Value {
		if len(i.Tags) != 1 || !i.Tags.Has("demo") {
			t.Errorf("%s keeps the tags %v, want the cluster's alone: %v", id, i.Tags, cloud.Tags{"kubernetes.io/cluster/demo": "owned"})
		}
	}
}
