package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Actions returns the AWS actions that the checks use and that need a permission. STS returns
// the identity without one.
func Actions() []string {
	return []string{"ec2:DescribeInstances", "ec2:DescribeRouteTables", "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets",
		"iam:GetInstanceProfile", "iam:SimulatePrincipalPolicy",
		"elasticloadbalancing:DescribeInstanceHealth", "elasticloadbalancing:DescribeListeners",
		"elasticloadbalancing:DescribeLoadBalancerAttributes", "elasticloadbalancing:DescribeLoadBalancers", "elasticloadbalancing:DescribeTags",
		"elasticloadbalancing:DescribeTargetGroupAttributes", "elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTargetHealth"}
}

// firstBalancerAction is the index of the first action of Elastic Load Balancing in Actions.
const firstBalancerAction = 6

// placeholderName is a name that no profile and no role has. IAM checks the permission before the
// name, so its answer still shows the permission.
const placeholderName = "awsmigrate-asks-for-the-right-alone"

// Access reads which actions the credentials allow, with one cheap request each. providerID is
// that of any Node; its region and profile are used. It may be empty. Options.SideTimeout limits
// the total time.
func Access(ctx context.Context, o Options, providerID string) cloud.Access {
	zone, id, _ := downstream.ParseProviderID(providerID)
	a := cloud.Access{Source: configured(ctx, o), Region: cmp.Or(o.Region, cloud.RegionOf(zone))}
	for _, name := range Actions() {
		a.Actions = append(a.Actions, cloud.Asked{Action: name, Err: errNotAsked})
	}
	timeout := orDefault(o.SideTimeout, DefaultSideTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer from AWS within %s", timeout))
	defer cancel()
	cfg, off, err := connect(ctx, o, a.Region)
	if err != nil || off != "" {
		a.Off, a.Meant, a.Err = off, o.Mode == Off, err
		return a
	}
	a.Region = cfg.Region
	askActions(ctx, cfg, id, &a)
	return a
}

// errNotAsked is the error of an action before its answer is known.
var errNotAsked = errors.New("not asked")

// askActions fills in the answers. It asks EC2 concurrently, then IAM about the instance's profile
// and role.
func askActions(ctx context.Context, cfg awssdk.Config, id string, a *cloud.Access) {
	client := ec2Client(cfg, a.Region)
	var group sync.WaitGroup
	group.Go(func() { a.Identity = readIdentity(ctx, sts.NewFromConfig(cfg)) })
	for i, call := range dryRuns(client) {
		group.Go(func() { interpret(&a.Actions[i], call(ctx)) })
	}
	group.Wait()
	for i, call := range balancerCalls(cfg, a.Region, a.Identity.Value.ARN) {
		group.Go(func() { interpret(&a.Actions[firstBalancerAction+i], call(ctx)) })
	}
	group.Wait()
	var profile string
	if id != "" && a.Actions[0].Allowed {
		profile = profileOf(ctx, client, id)
	}
	asIAM := iam.NewFromConfig(cfg)
	out, err := asIAM.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: awssdk.String(cmp.Or(profile, placeholderName))})
	interpret(&a.Actions[4], err)
	role := cmp.Or(roleOf(out), placeholderRoleARN(a.Identity.Value.ARN))
	if role == "" {
		return // IAM needs a complete ARN, and the account is not known
	}
	_, err = asIAM.SimulatePrincipalPolicy(ctx, &iam.SimulatePrincipalPolicyInput{PolicySourceArn: awssdk.String(role), ActionNames: Actions()[:1]})
	interpret(&a.Actions[5], err)
}

// dryRuns returns the requests to EC2, in the order of Actions.
func dryRuns(client *ec2.Client) []func(context.Context) error {
	yes := awssdk.Bool(true)
	return []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := client.DescribeInstances(ctx, &ec2.DescribeInstancesInput{DryRun: yes})
			return err
		},
		func(ctx context.Context) error {
			_, err := client.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{DryRun: yes})
			return err
		},
		func(ctx context.Context) error {
			_, err := client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{DryRun: yes})
			return err
		},
		func(ctx context.Context) error {
			_, err := client.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{DryRun: yes})
			return err
		},
	}
}

// interpret derives the permission from an error code (Amazon EC2 API reference, "Error codes";
// AWS IAM API reference, "Common errors"; Elastic Load Balancing API references). Other errors do
// not show the permission.
func interpret(to *cloud.Asked, err error) {
	var api smithy.APIError
	code := ""
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	switch {
	case err == nil, slices.Contains([]string{"DryRunOperation", "NoSuchEntity", "LoadBalancerNotFound", "TargetGroupNotFound"}, code):
		to.Allowed, to.Err = true, nil
	case code == "UnauthorizedOperation", code == "AccessDenied", code == "AccessDeniedException":
		to.Allowed, to.Err = false, nil
	default:
		to.Err = err
	}
}

// profileOf returns the instance profile of an instance, or "" if it has none or is not readable.
func profileOf(ctx context.Context, client *ec2.Client, id string) string {
	out, err := client.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: filter("instance-id", id)})
	if err != nil {
		return ""
	}
	for _, reservation := range out.Reservations {
		for _, i := range reservation.Instances {
			if i.IamInstanceProfile != nil {
				arn := awssdk.ToString(i.IamInstanceProfile.Arn)
				return arn[strings.LastIndex(arn, "/")+1:]
			}
		}
	}
	return ""
}

func roleOf(out *iam.GetInstanceProfileOutput) string {
	if out == nil || out.InstanceProfile == nil || len(out.InstanceProfile.Roles) == 0 {
		return ""
	}
	return awssdk.ToString(out.InstanceProfile.Roles[0].Arn)
}

// placeholderRoleARN returns the ARN of a role that does not exist, in the account and partition of
// an identity. It returns "" if arn is not an identity's ARN
// (arn:<partition>:<service>::<account>:<name>).
func placeholderRoleARN(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 || parts[4] == "" {
		return ""
	}
	return fmt.Sprintf("arn:%s:iam::%s:role/%s", parts[1], parts[4], placeholderName)
}
