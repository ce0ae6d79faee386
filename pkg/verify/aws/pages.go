package aws

import (
	"context"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"golang.org/x/sync/errgroup"
)

const (
	// batchSize is EC2's limit of values in the filters of one call. With a filter instead of
	// instance IDs, a missing instance does not fail the call.
	batchSize = 200
	pageSize  = 1000
	parallel  = 4 // concurrent requests in one region
)

func inBatches(ctx context.Context, ids []string, ask func(context.Context, []string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for chunk := range slices.Chunk(ids, batchSize) {
		g.Go(func() error { return ask(ctx, chunk) })
	}
	return g.Wait()
}

func filter(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: awssdk.String(name), Values: values}}
}

// The operations that paginators call, each as a method value. A client in an interface would be
// linked with all of its methods; see ec2Client.
type (
	describeInstances       func(context.Context, *ec2.DescribeInstancesInput, ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error)
	describeSecurityGroups  func(context.Context, *ec2.DescribeSecurityGroupsInput, ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error)
	describeSubnets         func(context.Context, *ec2.DescribeSubnetsInput, ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error)
	describeRouteTables     func(context.Context, *ec2.DescribeRouteTablesInput, ...func(*ec2.Options)) (*ec2.DescribeRouteTablesOutput, error)
	simulatePrincipalPolicy func(context.Context, *iam.SimulatePrincipalPolicyInput, ...func(*iam.Options)) (*iam.SimulatePrincipalPolicyOutput, error)
)

// DescribeInstances implements ec2.DescribeInstancesAPIClient.
func (call describeInstances) DescribeInstances(ctx context.Context, in *ec2.DescribeInstancesInput, o ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error) {
	return call(ctx, in, o...)
}

// DescribeSecurityGroups implements ec2.DescribeSecurityGroupsAPIClient.
func (call describeSecurityGroups) DescribeSecurityGroups(ctx context.Context, in *ec2.DescribeSecurityGroupsInput, o ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error) {
	return call(ctx, in, o...)
}

// DescribeSubnets implements ec2.DescribeSubnetsAPIClient.
func (call describeSubnets) DescribeSubnets(ctx context.Context, in *ec2.DescribeSubnetsInput, o ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error) {
	return call(ctx, in, o...)
}

// DescribeRouteTables implements ec2.DescribeRouteTablesAPIClient.
func (call describeRouteTables) DescribeRouteTables(ctx context.Context, in *ec2.DescribeRouteTablesInput, o ...func(*ec2.Options)) (*ec2.DescribeRouteTablesOutput, error) {
	return call(ctx, in, o...)
}

// SimulatePrincipalPolicy implements iam.SimulatePrincipalPolicyAPIClient.
func (call simulatePrincipalPolicy) SimulatePrincipalPolicy(ctx context.Context, in *iam.SimulatePrincipalPolicyInput, o ...func(*iam.Options)) (*iam.SimulatePrincipalPolicyOutput, error) {
	return call(ctx, in, o...)
}
