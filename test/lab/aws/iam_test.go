package aws_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func simulate(t *testing.T, f *fixture, role string, actions ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	pager := iam.NewSimulatePrincipalPolicyPaginator(f.iam(aws.RoleOperator), &iam.SimulatePrincipalPolicyInput{
		PolicySourceArn: sdk.String("arn:aws:iam::123456789012:role/" + role), ActionNames: actions})
	for pager.HasMorePages() {
		for _, r := range must[*iam.SimulatePrincipalPolicyOutput](t)(pager.NextPage(t.Context())).EvaluationResults {
			out[*r.EvalActionName] = string(r.EvalDecision)
		}
	}
	return out
}

// What SimulatePrincipalPolicy says must be what a call experiences.
func TestSimulationAgreesWithCalls(t *testing.T) {
	f := newFixture(t, aws.Options{PageSize: 2})
	if err := f.SetPolicyDocument("mixed", aws.Document{Version: "2012-10-17", Statement: []aws.Statement{
		{Effect: "Allow", Action: []string{"ec2:Describe*", "sts:*"}, Resource: "*"},
		{Effect: "Deny", Action: []string{"ec2:DescribeVpcs"}, Resource: "*"},
	}}); err != nil {
		t.Fatal(err)
	}
	client := f.ec2("mixed")
	calls := map[string]func() error{
		"ec2:DescribeInstances": func() error {
			_, err := client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{})
			return err
		},
		"ec2:DescribeVpcs": func() error {
			_, err := client.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{})
			return err
		},
		"ec2:CreateTags": func() error {
			_, err := client.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{"x"}, Tags: nil})
			return err
		},
		"elasticloadbalancing:DescribeLoadBalancers": func() error {
			_, err := f.elb("mixed").DescribeLoadBalancers(t.Context(), &elb.DescribeLoadBalancersInput{})
			return err
		},
	}
	want := map[string]string{
		"ec2:DescribeInstances": "allowed", "ec2:DescribeVpcs": "explicitDeny", "ec2:CreateTags": "implicitDeny",
		"elasticloadbalancing:DescribeLoadBalancers": "implicitDeny",
	}
	for action, call := range calls {
		decision := simulate(t, f, "mixed", "ec2:DescribeTags", "ec2:DescribeRegions", action)[action]
		if decision != want[action] {
			t.Errorf("%s is %s, want %s", action, decision, want[action])
		}
		err := call()
		if allowed := err == nil; allowed != (decision == "allowed") {
			t.Errorf("%s is %s, but the call gave %v", action, decision, err)
		}
	}
}

func TestRefusalsInEachProtocol(t *testing.T) {
	f := newFixture(t, aws.Options{})
	_, err := f.ec2(aws.RoleWorker).DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{})
	if got := code(t, err); got != "UnauthorizedOperation" || !strings.Contains(err.Error(), "assumed-role/worker/lab") {
		t.Errorf("EC2: %v", err)
	}
	_, err = f.elb(aws.RoleWorker).DescribeLoadBalancers(t.Context(), &elb.DescribeLoadBalancersInput{})
	if got := code(t, err); got != "AccessDenied" || !strings.Contains(err.Error(), "elasticloadbalancing:DescribeLoadBalancers") {
		t.Errorf("ELB: %v", err)
	}
	_, err = f.iam(aws.RoleWorker).GetRole(t.Context(), &iam.GetRoleInput{RoleName: sdk.String("worker")})
	if got := code(t, err); got != "AccessDenied" {
		t.Errorf("IAM: %v", err)
	}
	if _, err := f.ec2(aws.RoleWorker).DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{}); err != nil {
		t.Errorf("the node policy allows DescribeInstances: %v", err)
	}
	if _, err := f.ec2(aws.RoleWorker).DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{DryRun: sdk.Bool(true)}); code(t, err) != "UnauthorizedOperation" {
		t.Errorf("dry run: %v", err)
	}
}

func TestCredentialsAreChecked(t *testing.T) {
	f := newFixture(t, aws.Options{})
	id, secret, token := f.Credentials(aws.RoleOperator)
	for name, given := range map[string]sdk.Credentials{
		"unknown key": {AccessKeyID: "AKIAUNKNOWN", SecretAccessKey: secret},
		"no token":    {AccessKeyID: id, SecretAccessKey: secret},
		"wrong token": {AccessKeyID: id, SecretAccessKey: secret, SessionToken: token + "x"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := f.config(aws.RoleOperator, "test")
			cfg.Credentials = staticCredentials(given)
			if _, err := ec2.NewFromConfig(cfg).DescribeRegions(t.Context(), &ec2.DescribeRegionsInput{}); code(t, err) != "AuthFailure" {
				t.Errorf("EC2: %v", err)
			}
			if _, err := sts.NewFromConfig(cfg).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{}); code(t, err) != "InvalidClientTokenId" {
				t.Errorf("STS: %v", err)
			}
		})
	}
}

func TestRoleOfAnInstance(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{Role: aws.RoleControlPlane})
	ctx, client := t.Context(), f.iam(aws.RoleOperator)
	described := must[*ec2.DescribeInstancesOutput](t)(f.ec2(aws.RoleOperator).DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{i.ID}}))
	arn := *described.Reservations[0].Instances[0].IamInstanceProfile.Arn
	profile := must[*iam.GetInstanceProfileOutput](t)(client.GetInstanceProfile(ctx,
		&iam.GetInstanceProfileInput{InstanceProfileName: sdk.String(arn[strings.LastIndex(arn, "/")+1:])})).InstanceProfile
	if *profile.Arn != arn || *profile.Roles[0].RoleName != aws.RoleControlPlane {
		t.Fatalf("profile %s has roles %v", *profile.Arn, profile.Roles)
	}
	role := profile.Roles[0].RoleName
	listed := must[*iam.ListRolePoliciesOutput](t)(client.ListRolePolicies(ctx, &iam.ListRolePoliciesInput{RoleName: role}))
	policy := must[*iam.GetRolePolicyOutput](t)(client.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: role, PolicyName: &listed.PolicyNames[0]}))
	text, err := url.QueryUnescape(*policy.PolicyDocument)
	if err != nil || !strings.Contains(text, `"elasticloadbalancing:DeregisterTargets"`) {
		t.Errorf("document %q (%v)", text, err)
	}
	if _, err := client.GetRole(ctx, &iam.GetRoleInput{RoleName: sdk.String("unknown")}); code(t, err) != "NoSuchEntity" {
		t.Error(err)
	}
	if _, err := client.SimulatePrincipalPolicy(ctx, &iam.SimulatePrincipalPolicyInput{
		PolicySourceArn: sdk.String("arn:aws:sts::123456789012:assumed-role/worker/lab"), ActionNames: []string{"ec2:DescribeVpcs"}}); code(t, err) != "InvalidInput" {
		t.Error(err)
	}
}

func TestAssumeRole(t *testing.T) {
	f := newFixture(t, aws.Options{})
	cfg := f.config(aws.RoleOperator, "test")
	arn := "arn:aws:iam::123456789012:role/" + aws.RoleWorker
	cfg.Credentials = stscreds.NewAssumeRoleProvider(f.sts(aws.RoleOperator), arn, func(o *stscreds.AssumeRoleOptions) { o.RoleSessionName = "audit" })
	who := must[*sts.GetCallerIdentityOutput](t)(sts.NewFromConfig(cfg).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{}))
	if *who.Arn != "arn:aws:sts::123456789012:assumed-role/worker/audit" || *who.Account != "123456789012" {
		t.Errorf("identity %s in %s", *who.Arn, *who.Account)
	}
	if _, err := f.sts(aws.RoleWorker).AssumeRole(t.Context(), &sts.AssumeRoleInput{RoleArn: &arn, RoleSessionName: sdk.String("xx")}); code(t, err) != "AccessDenied" {
		t.Error(err)
	}
}

func TestDefaultPolicies(t *testing.T) {
	policies := aws.DefaultPolicies()
	control := policies[aws.RoleControlPlane]
	if got := len(control); got != 57 {
		t.Errorf("the control plane has %d actions; upstream's policy has 57", got)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(control))); len(sorted) != len(control) {
		t.Error("an action is listed twice")
	}
	if got := len(policies[aws.RoleWorker]); got != 9 {
		t.Errorf("a node has %d actions; Rancher's policy has 9", got)
	}
	for _, missing := range []string{"ec2:DescribeAvailabilityZones", "elasticloadbalancing:DeregisterTargets"} {
		if slices.Contains(aws.RancherControlPlaneActions(), missing) || !slices.Contains(control, missing) {
			t.Errorf("%s must be upstream's addition", missing)
		}
	}
}
