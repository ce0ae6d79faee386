package aws

import (
	"context"
	"fmt"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
)

// placeholderBalancer is a name that no load balancer has. Like placeholderName, it is looked up
// only after the permission.
const placeholderBalancer = "awsmigrate-asks-for-the-right"

// balancerCalls returns the requests to Elastic Load Balancing, in the order of Actions. arn is
// that of the identity: the ARN of a load balancer names the account.
func balancerCalls(cfg awssdk.Config, region, arn string) []func(context.Context) error {
	old, now := classic.NewFromConfig(cfg), v2.NewFromConfig(cfg)
	name, one := awssdk.String(placeholderBalancer), awssdk.Int32(1)
	balancer, group := placeholderARN(arn, region, "loadbalancer/net/"), placeholderARN(arn, region, "targetgroup/")
	return []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := old.DescribeInstanceHealth(ctx, &classic.DescribeInstanceHealthInput{LoadBalancerName: name})
			return err
		},
		func(ctx context.Context) error {
			_, err := now.DescribeListeners(ctx, &v2.DescribeListenersInput{LoadBalancerArn: balancer})
			return err
		},
		func(ctx context.Context) error {
			_, err := old.DescribeLoadBalancerAttributes(ctx, &classic.DescribeLoadBalancerAttributesInput{LoadBalancerName: name})
			return err
		},
		func(ctx context.Context) error {
			_, err := old.DescribeLoadBalancers(ctx, &classic.DescribeLoadBalancersInput{PageSize: one})
			return err
		},
		func(ctx context.Context) error {
			_, err := old.DescribeTags(ctx, &classic.DescribeTagsInput{LoadBalancerNames: []string{*name}})
			return err
		},
		func(ctx context.Context) error {
			_, err := now.DescribeTargetGroupAttributes(ctx, &v2.DescribeTargetGroupAttributesInput{TargetGroupArn: group})
			return err
		},
		func(ctx context.Context) error {
			_, err := now.DescribeTargetGroups(ctx, &v2.DescribeTargetGroupsInput{PageSize: one})
			return err
		},
		func(ctx context.Context) error {
			_, err := now.DescribeTargetHealth(ctx, &v2.DescribeTargetHealthInput{TargetGroupArn: group})
			return err
		},
	}
}

// placeholderARN returns the ARN of a load balancer or target group that does not exist, in the
// account and partition of an identity.
func placeholderARN(identity, region, resource string) *string {
	partition, account := "aws", "000000000000"
	if parts := strings.SplitN(identity, ":", 6); len(parts) == 6 && parts[4] != "" {
		partition, account = parts[1], parts[4]
	}
	return awssdk.String(fmt.Sprintf("arn:%s:elasticloadbalancing:%s:%s:%s%s/0000000000000000", partition, region, account, resource, placeholderBalancer))
}
