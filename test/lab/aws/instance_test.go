package aws_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func TestRunInstanceDefaults(t *testing.T) {
	f := newFixture(t, aws.Options{Region: "eu-west-1"})
	i := f.run(t, aws.Instance{})
	net := f.Network()
	want := aws.Instance{
		ID: i.ID, Zone: "eu-west-1a", Type: "m5.large", PrivateIP: "10.0.0.4",
		PrivateDNSName: "ip-10-0-0-4.eu-west-1.compute.internal", LocalHostname: "ip-10-0-0-4.eu-west-1.compute.internal",
		Hostname: "ip-10-0-0-4.eu-west-1.compute.internal", HTTPTokens: "optional", HopLimit: 1, HTTPEndpoint: aws.EndpointEnabled,
		Tags: map[string]string{"kubernetes.io/cluster/demo": "owned"}, State: aws.StateRunning,
		SubnetID: net.Subnets["eu-west-1a"], VpcID: net.VpcID, SecurityGroups: []string{net.NodeSecurityGroup},
		InterfaceID: i.InterfaceID, MAC: i.MAC, SourceDestCheck: true, LaunchTime: start,
	}
	if diff := cmp.Diff(want, i); diff != "" {
		t.Error(diff)
	}
	if got, ok := f.Instance(i.ID); !ok || !cmp.Equal(got, i) {
		t.Errorf("Instance gives %+v", got)
	}
}

func TestRunInstanceRefuses(t *testing.T) {
	f := newFixture(t, aws.Options{})
	taken := f.run(t, aws.Instance{ID: "i-0123456789abcdef0"})
	for name, c := range map[string]struct {
		i    aws.Instance
		want string
	}{
		"same ID":      {aws.Instance{ID: taken.ID}, taken.ID},
		"same address": {aws.Instance{PrivateIP: taken.PrivateIP}, "belongs to instance " + taken.ID},
		"zone":         {aws.Instance{Zone: "mars-1a"}, "mars-1a"},
		"role":         {aws.Instance{Role: "unknown"}, "unknown"},
		"tokens":       {aws.Instance{HTTPTokens: "maybe"}, "maybe"},
		"state":        {aws.Instance{State: "asleep"}, "asleep"},
		"group":        {aws.Instance{SecurityGroups: []string{"sg-none"}}, "sg-none"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := f.RunInstance(c.i); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v does not name %q", err, c.want)
			}
		})
	}
	if got := len(f.Instances()); got != 1 {
		t.Errorf("%d instances, want 1", got)
	}
}

func TestManyInstancesHaveTheirOwnAddresses(t *testing.T) {
	f := newFixture(t, aws.Options{Zones: []string{"us-east-1a"}})
	seen := map[string]string{}
	for range 600 {
		i := f.run(t, aws.Instance{})
		if other := seen[i.PrivateIP]; other != "" {
			t.Fatalf("%s and %s share %s", other, i.ID, i.PrivateIP)
		}
		seen[i.PrivateIP] = i.ID
	}
}

func TestStateOfUnknownInstance(t *testing.T) {
	f := newFixture(t, aws.Options{})
	for name, err := range map[string]error{
		"set":    f.SetInstanceState("i-1", aws.StateStopped),
		"forget": f.ForgetInstance("i-1"),
		"update": f.UpdateInstance("i-1", func(*aws.Instance) {}),
		"tag":    f.Tag("i-1", nil),
		"untag":  f.Untag("i-1"),
	} {
		if err == nil || !strings.Contains(err.Error(), "i-1") {
			t.Errorf("%s: error %v does not name the instance", name, err)
		}
	}
}

func TestResetPolicies(t *testing.T) {
	f := newFixture(t, aws.Options{})
	if err := f.SetPolicy(aws.RoleWorker, []string{"ec2:X"}); err != nil {
		t.Fatal(err)
	}
	f.ResetPolicies()
	got, _ := f.Policy(aws.RoleWorker)
	if diff := cmp.Diff(aws.DefaultPolicies()[aws.RoleWorker], got); diff != "" {
		t.Error(diff)
	}
}
