package aws

import (
	"context"
	"fmt"
	"slices"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

const (
	// batch is EC2's limit of values in one call's filters. Asking by filter and
	// not by id lets one missing instance be missing, instead of failing the call.
	batch    = 200
	pageSize = 1000
	parallel = 4
)

// instances asks for many instances at a time, never for one.
func (c Clients) instances(ctx context.Context, ids []string) verify.Read[map[string]cloud.Instance] {
	found := map[string]cloud.Instance{}
	var mu sync.Mutex
	err := inBatches(ctx, ids, func(ctx context.Context, ids []string) error {
		pages := ec2.NewDescribeInstancesPaginator(c.EC2, &ec2.DescribeInstancesInput{
			Filters: filter("instance-id", ids), MaxResults: awssdk.Int32(pageSize),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return fmt.Errorf("describing %d instances: %w", len(ids), err)
			}
			mu.Lock()
			for _, r := range page.Reservations {
				for _, i := range r.Instances {
					found[awssdk.ToString(i.InstanceId)] = instance(i)
				}
			}
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return verify.Failed[map[string]cloud.Instance](err)
	}
	return verify.Got(found)
}

func instance(i types.Instance) cloud.Instance {
	out := cloud.Instance{
		ID: awssdk.ToString(i.InstanceId), PrivateDNSName: awssdk.ToString(i.PrivateDnsName), Tags: tags(i.Tags),
		VPC: awssdk.ToString(i.VpcId), Subnet: awssdk.ToString(i.SubnetId),
	}
	if i.State != nil {
		out.State = string(i.State.Name)
	}
	if i.Placement != nil {
		out.Zone = awssdk.ToString(i.Placement.AvailabilityZone)
	}
	if m := i.MetadataOptions; m != nil {
		out.HTTPTokens, out.HopLimit = string(m.HttpTokens), int(awssdk.ToInt32(m.HttpPutResponseHopLimit))
		out.MetadataDisabled = m.HttpEndpoint == types.InstanceMetadataEndpointStateDisabled
	}
	if i.IamInstanceProfile != nil {
		out.InstanceProfile = awssdk.ToString(i.IamInstanceProfile.Arn)
	}
	for _, g := range i.SecurityGroups {
		out.SecurityGroups = append(out.SecurityGroups, awssdk.ToString(g.GroupId))
	}
	ips := []string{awssdk.ToString(i.PrivateIpAddress)}
	for _, n := range i.NetworkInterfaces {
		for _, a := range n.PrivateIpAddresses {
			ips = append(ips, awssdk.ToString(a.PrivateIpAddress))
		}
	}
	for _, ip := range ips {
		if ip != "" && !slices.Contains(out.PrivateIPs, ip) {
			out.PrivateIPs = append(out.PrivateIPs, ip)
		}
	}
	return out
}

func tags(list []types.Tag) cloud.Tags {
	out := cloud.Tags{}
	for _, t := range list {
		out[awssdk.ToString(t.Key)] = awssdk.ToString(t.Value)
	}
	return out
}

func filter(name string, values []string) []types.Filter {
	return []types.Filter{{Name: awssdk.String(name), Values: values}}
}

func inBatches(ctx context.Context, ids []string, ask func(context.Context, []string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for chunk := range slices.Chunk(ids, batch) {
		g.Go(func() error { return ask(ctx, chunk) })
	}
	return g.Wait()
}

// tagged collects the tags of resources, batch by batch and page by page.
func tagged(ctx context.Context, what string, ids []string, page func(ctx context.Context, ids []string, token *string) (map[string][]types.Tag, *string, error)) verify.Read[map[string]cloud.Tags] {
	found := map[string]cloud.Tags{}
	var mu sync.Mutex
	err := inBatches(ctx, ids, func(ctx context.Context, ids []string) error {
		var token *string
		for {
			items, next, err := page(ctx, ids, token)
			if err != nil {
				return fmt.Errorf("describing %s: %w", what, err)
			}
			mu.Lock()
			for id, t := range items {
				found[id] = tags(t)
			}
			mu.Unlock()
			if awssdk.ToString(next) == "" {
				return nil
			}
			token = next
		}
	})
	if err != nil {
		return verify.Failed[map[string]cloud.Tags](err)
	}
	return verify.Got(found)
}

func (c Clients) securityGroups(ctx context.Context, ids []string) verify.Read[map[string]cloud.Tags] {
	return tagged(ctx, "security groups", ids, func(ctx context.Context, ids []string, token *string) (map[string][]types.Tag, *string, error) {
		out, err := c.EC2.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: filter("group-id", ids), NextToken: token, MaxResults: awssdk.Int32(pageSize)})
		if err != nil {
			return nil, nil, err
		}
		items := map[string][]types.Tag{}
		for _, g := range out.SecurityGroups {
			items[awssdk.ToString(g.GroupId)] = g.Tags
		}
		return items, out.NextToken, nil
	})
}

func (c Clients) subnets(ctx context.Context, ids []string) verify.Read[map[string]cloud.Tags] {
	return tagged(ctx, "subnets", ids, func(ctx context.Context, ids []string, token *string) (map[string][]types.Tag, *string, error) {
		out, err := c.EC2.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{Filters: filter("subnet-id", ids), NextToken: token, MaxResults: awssdk.Int32(pageSize)})
		if err != nil {
			return nil, nil, err
		}
		items := map[string][]types.Tag{}
		for _, s := range out.Subnets {
			items[awssdk.ToString(s.SubnetId)] = s.Tags
		}
		return items, out.NextToken, nil
	})
}

func (c Clients) routeTables(ctx context.Context, vpcs []string) verify.Read[map[string]cloud.Tags] {
	return tagged(ctx, "route tables", vpcs, func(ctx context.Context, vpcs []string, token *string) (map[string][]types.Tag, *string, error) {
		out, err := c.EC2.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{Filters: filter("vpc-id", vpcs), NextToken: token, MaxResults: awssdk.Int32(100)})
		if err != nil {
			return nil, nil, err
		}
		items := map[string][]types.Tag{}
		for _, t := range out.RouteTables {
			items[awssdk.ToString(t.RouteTableId)] = t.Tags
		}
		return items, out.NextToken, nil
	})
}
