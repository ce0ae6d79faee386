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
	"github.com/aws/smithy-go"
	"golang.org/x/sync/errgroup"
)

const (
	// batchSize is EC2's limit of values in the filters of one call. With a filter instead of
	// instance IDs, a missing instance does not fail the call.
	batchSize = 200
	pageSize  = 1000
	maxPages  = 1000 // of one query: a million instances
	parallel  = 4    // concurrent requests in one region
)

// paginator holds the used methods of the SDK's paginators, for pages P and options O.
type paginator[P, O any] interface {
	HasMorePages() bool
	NextPage(context.Context, ...func(*O)) (P, error)
}

// eachPage passes every page to take, or returns an error. The SDK's paginators follow a repeated
// token without end or treat it as the end. Here it is an error, because the rest is unknown.
func eachPage[P, O any](ctx context.Context, what string, pages paginator[P, O], take func(P) (next *string, err error)) error {
	tokens := map[string]bool{}
	for pages.HasMorePages() {
		if len(tokens) >= maxPages {
			return fmt.Errorf("describing %s: %w", what, errTooMany)
		}
		page, err := pages.NextPage(ctx)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w%s", what, err, renewHint(err))
		}
		next, err := take(page)
		if err == nil && tokens[awssdk.ToString(next)] {
			err = errRepeats
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w", what, err)
		}
		tokens[awssdk.ToString(next)] = true
	}
	return nil
}

// renewHint returns the remedy if AWS does not accept the credentials at all, or "" (Amazon EC2 API
// reference, 2016-11-15, common error codes).
func renewHint(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	switch api.ErrorCode() {
	case "AuthFailure", "ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "RequestExpired", "SignatureDoesNotMatch", "UnrecognizedClientException":
		return "; renew the AWS credentials: aws sts get-caller-identity"
	}
	return ""
}

var (
	errRepeats = errors.New("AWS returned the same page token twice; the rest of the answer is unknown")
	errTooMany = fmt.Errorf("the answer has more than %d pages", maxPages)
	// errNameless means that an answer does not name its resource.
	errNameless = errors.New("the answer does not say which resource it describes")
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
