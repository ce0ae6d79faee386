package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"golang.org/x/sync/errgroup"
)

const (
	// batch is EC2's limit of values in one call's filters. Asking by filter and
	// not by id lets one missing instance be missing, instead of failing the call.
	batch    = 200
	pageSize = 1000
	maxPages = 1000 // of one question: a million instances
	parallel = 4    // requests at a time, in one region
)

// paginator is the part of the SDK's paginators that is used, of pages P and options O.
type paginator[P, O any] interface {
	HasMorePages() bool
	NextPage(context.Context, ...func(*O)) (P, error)
}

// eachPage takes every page, or returns an error. The SDK's paginators either follow a
// repeated token for ever or take it for the end; here it is an error, since what lies
// behind it was not seen.
func eachPage[P, O any](ctx context.Context, what string, pages paginator[P, O], take func(P) (next *string, err error)) error {
	seen := map[string]bool{}
	for pages.HasMorePages() {
		if len(seen) >= maxPages {
			return fmt.Errorf("describing %s: %w", what, errTooMany)
		}
		page, err := pages.NextPage(ctx)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w", what, err)
		}
		next, err := take(page)
		if err == nil && seen[awssdk.ToString(next)] {
			err = errRepeats
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w", what, err)
		}
		seen[awssdk.ToString(next)] = true
	}
	return nil
}

var (
	errRepeats = errors.New("AWS gave the same page token twice, what comes after it was not seen")
	errTooMany = fmt.Errorf("the answer has more than %d pages", maxPages)
	// errNameless is an answer that does not name what it is about.
	errNameless = errors.New("the answer does not say which resource it describes")
)

func inBatches(ctx context.Context, ids []string, ask func(context.Context, []string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for chunk := range slices.Chunk(ids, batch) {
		g.Go(func() error { return ask(ctx, chunk) })
	}
	return g.Wait()
}

func filter(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: awssdk.String(name), Values: values}}
}

// The operations that paginators call. Each is a method value of a client, because a
// client in an interface is linked with all of its methods; see ec2Client.
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
