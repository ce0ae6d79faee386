package aws

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// related reads the resources of the instances: security groups, subnets, the route tables of their
// VPCs, and the roles of the control plane. It fails all of them if the instances are unknown.
func (a *Reader) related(ctx context.Context, f *cloud.Facts, cfg awssdk.Config, nodes []downstream.Node) {
	if !f.Instances.OK() {
		failed := failedFacts("", f.Instances.Err)
		f.SecurityGroups, f.Subnets, f.RouteTables, f.Roles = failed.SecurityGroups, failed.Subnets, failed.RouteTables, failed.Roles
		return
	}
	group, subnet, vpc := map[string]set{}, map[string]set{}, map[string]set{}
	profiles := set{}
	for _, n := range nodes {
		_, id, _ := downstream.ParseProviderID(n.ProviderID)
		i, ok := f.Instances.Value[id]
		if !ok {
			continue
		}
		add(group, i.Region, i.SecurityGroups...)
		add(subnet, i.Region, i.Subnet)
		add(vpc, i.Region, i.VPC)
		if n.ControlPlane() && i.InstanceProfile != "" {
			profiles[i.InstanceProfile] = true
		}
	}
	var g sync.WaitGroup // each stores its own result
	g.Go(func() { f.SecurityGroups, f.GroupRules = readTags(ctx, cfg, group, securityGroups) })
	g.Go(func() { f.Subnets, _ = readTags(ctx, cfg, subnet, subnets) })
	g.Go(func() { f.RouteTables, _ = readTags(ctx, cfg, vpc, routeTables) })
	g.Go(func() {
		ctx, cancel := a.limitSide(ctx)
		defer cancel()
		f.Roles = simulateRoles(ctx, iam.NewFromConfig(cfg), withNames(profiles), a.actions)
		if profiles[cloud.Nameless] {
			f.Roles = verify.Failed[[]cloud.RoleRights](errors.New("EC2's answer does not show the instance profile of a control plane"))
		}
	})
	g.Wait()
}

// withNames returns the profiles whose name is known.
func withNames(profiles set) []string {
	return slices.DeleteFunc(profiles.sorted(), func(arn string) bool { return arn == cloud.Nameless })
}

type set map[string]bool

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }

func add(to map[string]set, region string, names ...string) {
	if to[region] == nil {
		to[region] = set{}
	}
	for _, n := range names {
		if n != "" {
			to[region][n] = true
		}
	}
}

// tagsOf collects the tags of resources by their ID.
type tagsOf struct {
	mu    sync.Mutex
	found map[string]cloud.Tags
	rules map[string]int // inbound rules for one source each, of security groups
}

func (t *tagsOf) add(id *string, list []types.Tag) error {
	if awssdk.ToString(id) == "" {
		return paging.ErrNameless
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.found[*id] = tags(list)
	return nil
}

// count adds the inbound rules of a security group. EC2's limit counts each source.
func (t *tagsOf) count(group string, all []types.IpPermission) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range all {
		t.rules[group] += len(p.IpRanges) + len(p.Ipv6Ranges) + len(p.PrefixListIds) + len(p.UserIdGroupPairs)
	}
}

// readTags reads the tags of resources, by region and in batches.
func readTags(ctx context.Context, cfg awssdk.Config, ids map[string]set, read func(context.Context, *ec2.Client, []string, *tagsOf) error) (tags verify.Read[map[string]cloud.Tags], rules verify.Read[map[string]int]) {
	into := tagsOf{found: map[string]cloud.Tags{}, rules: map[string]int{}}
	var errs []error
	for _, region := range slices.Sorted(maps.Keys(ids)) {
		client := ec2Client(cfg, region)
		errs = append(errs, inBatches(ctx, ids[region].sorted(), func(ctx context.Context, ids []string) error {
			return read(ctx, client, ids, &into)
		}))
	}
	if err := errors.Join(errs...); err != nil {
		return verify.Failed[map[string]cloud.Tags](err), verify.Failed[map[string]int](err)
	}
	return verify.Got(into.found), verify.Got(into.rules)
}

func securityGroups(ctx context.Context, client *ec2.Client, ids []string, into *tagsOf) error {
	pages := ec2.NewDescribeSecurityGroupsPaginator(describeSecurityGroups(client.DescribeSecurityGroups),
		&ec2.DescribeSecurityGroupsInput{Filters: filter("group-id", ids...), MaxResults: awssdk.Int32(pageSize)})
	return paging.Each(ctx, "security groups", pages, func(out *ec2.DescribeSecurityGroupsOutput) (next *string, err error) {
		for _, g := range out.SecurityGroups {
			err = errors.Join(err, into.add(g.GroupId, g.Tags))
			into.count(awssdk.ToString(g.GroupId), g.IpPermissions)
		}
		return out.NextToken, err
	})
}

func subnets(ctx context.Context, client *ec2.Client, ids []string, into *tagsOf) error {
	pages := ec2.NewDescribeSubnetsPaginator(describeSubnets(client.DescribeSubnets),
		&ec2.DescribeSubnetsInput{Filters: filter("subnet-id", ids...), MaxResults: awssdk.Int32(pageSize)})
	return paging.Each(ctx, "subnets", pages, func(out *ec2.DescribeSubnetsOutput) (next *string, err error) {
		for _, s := range out.Subnets {
			err = errors.Join(err, into.add(s.SubnetId, s.Tags))
		}
		return out.NextToken, err
	})
}

// maxRouteTables is EC2's limit of route tables in a page (Amazon EC2 API reference,
// DescribeRouteTables).
const maxRouteTables = 100

func routeTables(ctx context.Context, client *ec2.Client, vpcs []string, into *tagsOf) error {
	pages := ec2.NewDescribeRouteTablesPaginator(describeRouteTables(client.DescribeRouteTables),
		&ec2.DescribeRouteTablesInput{Filters: filter("vpc-id", vpcs...), MaxResults: awssdk.Int32(maxRouteTables)})
	return paging.Each(ctx, "route tables", pages, func(out *ec2.DescribeRouteTablesOutput) (next *string, err error) {
		for _, t := range out.RouteTables {
			err = errors.Join(err, into.add(t.RouteTableId, t.Tags))
		}
		return out.NextToken, err
	})
}
