package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Actions are what the checks ask of AWS and what rights are needed for: STS says to
// everybody who he is.
func Actions() []string {
	return []string{"ec2:DescribeInstances", "ec2:DescribeRouteTables", "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets",
		"iam:GetInstanceProfile", "iam:SimulatePrincipalPolicy"}
}

// nobody is a name that no profile and no role has. IAM refuses the action before it
// looks for the name, so that its answer tells of the right all the same.
const nobody = "awsmigrate-asks-for-the-right-alone"

// Access asks what these credentials may do, each action once and in its cheapest form.
// providerID is that of some Node, whose region and profile are then asked for; "": none
// is known. All of it is bounded by Options.SidePatience.
func Access(ctx context.Context, o Options, providerID string) cloud.Access {
	zone, id, _ := downstream.ParseProviderID(providerID)
	a := cloud.Access{Source: configured(ctx, o), Region: cmp.Or(o.Region, cloud.RegionOf(zone))}
	for _, name := range Actions() {
		a.Actions = append(a.Actions, cloud.Asked{Action: name, Err: errNotAsked})
	}
	patience := orDefault(o.SidePatience, DefaultSidePatience)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("AWS had %s to answer", patience))
	defer cancel()
	cfg, off, err := connect(ctx, o, a.Region)
	if err != nil || off != "" {
		a.Off, a.Meant, a.Err = off, o.Mode == Off, err
		return a
	}
	a.Region = cfg.Region
	ask(ctx, cfg, id, &a)
	return a
}

// errNotAsked stands where nobody could ask.
var errNotAsked = errors.New("not asked")

// ask fills in the answers. Of EC2 all are asked at once; IAM afterwards, about what EC2
// says that the instance has.
func ask(ctx context.Context, cfg awssdk.Config, id string, a *cloud.Access) {
	client := ec2Client(cfg, a.Region)
	var group sync.WaitGroup
	group.Go(func() { a.Identity = identity(ctx, sts.NewFromConfig(cfg)) })
	for i, call := range dryRuns(client) {
		group.Go(func() { answer(&a.Actions[i], call(ctx)) })
	}
	group.Wait()
	var profile string
	if id != "" && a.Actions[0].Allowed {
		profile = profileOf(ctx, client, id)
	}
	asIAM := iam.NewFromConfig(cfg)
	out, err := asIAM.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: awssdk.String(cmp.Or(profile, nobody))})
	answer(&a.Actions[4], err)
	role := cmp.Or(roleOf(out), nobodysRole(a.Identity.Value.ARN))
	if role == "" {
		return // IAM wants a whole ARN, and the account is not known
	}
	_, err = asIAM.SimulatePrincipalPolicy(ctx, &iam.SimulatePrincipalPolicyInput{PolicySourceArn: awssdk.String(role), ActionNames: Actions()[:1]})
	answer(&a.Actions[5], err)
}

// dryRuns are the questions to EC2, in the order of Actions.
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

// answer reads an answer by its code (Amazon EC2 API reference, "Error codes"; AWS IAM API
// reference, "Common errors"). Any other error says nothing of the right.
func answer(to *cloud.Asked, err error) {
	var api smithy.APIError
	code := ""
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	switch {
	case err == nil, code == "DryRunOperation", code == "NoSuchEntity":
		to.Allowed, to.Err = true, nil
	case code == "UnauthorizedOperation", code == "AccessDenied", code == "AccessDeniedException":
		to.Allowed, to.Err = false, nil
	default:
		to.Err = err
	}
}

// profileOf is the instance profile of an instance; "": it has none, or nobody says.
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

// nobodysRole is the ARN of a role that is not there, in the account and the partition of
// an identity, arn:<partition>:<service>::<account>:<who>; "" of none.
func nobodysRole(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 || parts[4] == "" {
		return ""
	}
	return fmt.Sprintf("arn:%s:iam::%s:role/%s", parts[1], parts[4], nobody)
}
