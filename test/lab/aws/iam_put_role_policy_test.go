package aws_test

import (
	"net/url"
	"slices"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/iam"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

const describeVpcs = `{"Version":"2012-10-17","Statement":[{"Sid":"A1","Effect":"Allow","Action":["ec2:DescribeVpcs"],"Resource":"*"}]}`

func putRolePolicy(t *testing.T, f *fixture, role, name, document string) error {
	t.Helper()
	_, err := f.iam("admin").PutRolePolicy(t.Context(), &iam.PutRolePolicyInput{RoleName: &role, PolicyName: &name, PolicyDocument: &document})
	return err
}

// A new policy decides the next call, and the result of the simulation.
func TestPutRolePolicy(t *testing.T) {
	f := newFixture(t, aws.Options{})
	if err := f.SetPolicy("admin", []string{"iam:PutRolePolicy"}); err != nil {
		t.Fatal(err)
	}
	experienced := func() string {
		if _, err := f.ec2(aws.RoleWorker).DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{}); err != nil {
			return code(t, err)
		}
		return "allowed"
	}
	for _, step := range []struct{ name, document, decision, call string }{
		{"more", describeVpcs, "allowed", "allowed"},
		{"stop", `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":["ec2:DescribeVpcs"],"Resource":"*"}]}`, "explicitDeny", "UnauthorizedOperation"},
		{"stop", describeVpcs, "allowed", "allowed"},
	} {
		if err := putRolePolicy(t, f, aws.RoleWorker, step.name, step.document); err != nil {
			t.Fatal(err)
		}
		if got := simulate(t, f, aws.RoleWorker, "ec2:DescribeVpcs", "ec2:DescribeRegions"); got["ec2:DescribeVpcs"] != step.decision || got["ec2:DescribeRegions"] != "allowed" {
			t.Errorf("%s: simulated %v, want %s", step.name, got, step.decision)
		}
		if got := experienced(); got != step.call {
			t.Errorf("%s: the call is %s, want %s", step.name, got, step.call)
		}
	}
	client, role := f.iam(aws.RoleOperator), sdk.String(aws.RoleWorker)
	listed := must[*iam.ListRolePoliciesOutput](t)(client.ListRolePolicies(t.Context(), &iam.ListRolePoliciesInput{RoleName: role}))
	if want := []string{"cluster", "more", "stop"}; !slices.Equal(listed.PolicyNames, want) {
		t.Errorf("policies %v, want %v", listed.PolicyNames, want)
	}
	shown := must[*iam.GetRolePolicyOutput](t)(client.GetRolePolicy(t.Context(), &iam.GetRolePolicyInput{RoleName: role, PolicyName: sdk.String("more")}))
	if text, err := url.QueryUnescape(*shown.PolicyDocument); err != nil || text != describeVpcs {
		t.Errorf("document %s (%v)", text, err)
	}
	f.ResetPolicies()
	if got := experienced(); got == "allowed" {
		t.Error("policies that were put outlive a reset")
	}
}

func TestPutRolePolicyRefuses(t *testing.T) {
	f := newFixture(t, aws.Options{})
	if err := f.SetPolicy("admin", []string{"iam:PutRolePolicy"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ role, policy, document, want string }{
		"role":        {"unknown", "p", describeVpcs, "NoSuchEntity"},
		"name":        {aws.RoleWorker, "a b", describeVpcs, "ValidationError"},
		"no document": {aws.RoleWorker, "p", "x", "MalformedPolicyDocument"},
		"half":        {aws.RoleWorker, "p", describeVpcs[:40], "MalformedPolicyDocument"},
		"more":        {aws.RoleWorker, "p", describeVpcs + "{}", "MalformedPolicyDocument"},
		"version":     {aws.RoleWorker, "p", `{"Statement":[{"Effect":"Allow","Action":["a:b"],"Resource":"*"}]}`, "MalformedPolicyDocument"},
		"empty":       {aws.RoleWorker, "p", `{"Version":"2012-10-17","Statement":[]}`, "MalformedPolicyDocument"},
		"sid":         {aws.RoleWorker, "p", `{"Version":"2012-10-17","Statement":[{"Sid":"a b","Effect":"Allow","Action":["a:b"],"Resource":"*"}]}`, "MalformedPolicyDocument"},
		"effect":      {aws.RoleWorker, "p", `{"Version":"2012-10-17","Statement":[{"Action":["a:b"],"Resource":"*"}]}`, "MalformedPolicyDocument"},
		"actions":     {aws.RoleWorker, "p", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Resource":"*"}]}`, "MalformedPolicyDocument"},
		"resource":    {aws.RoleWorker, "p", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["a:b"]}]}`, "MalformedPolicyDocument"},
		"condition":   {aws.RoleWorker, "p", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["a:b"],"Resource":"*","Condition":{}}]}`, "MalformedPolicyDocument"},
	} {
		if err := putRolePolicy(t, f, c.role, c.policy, c.document); code(t, err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if actions, _ := f.Policy(aws.RoleWorker); slices.Contains(actions, "a:b") {
		t.Error("a refused policy was kept")
	}
	document := describeVpcs
	if _, err := f.iam(aws.RoleOperator).PutRolePolicy(t.Context(), &iam.PutRolePolicyInput{RoleName: sdk.String(aws.RoleWorker), PolicyName: sdk.String("p"), PolicyDocument: &document}); code(t, err) != "AccessDenied" {
		t.Errorf("not authorised: %v", err)
	}
}
