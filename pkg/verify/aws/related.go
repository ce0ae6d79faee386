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
	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// related reads what the instances refer to: their security groups, subnets, the
// route tables of their VPCs, and the roles of the control plane. Where instances
// are not all known, what they refer to is not either. ended is called once EC2 has
// answered.
func (a *Reader) related(ctx context.Context, f *cloud.Facts, c Clients, nodes []downstream.Node, ended func()) {
	if !f.Instances.OK() {
		lost := failed("", f.Instances.Err)
		f.SecurityGroups, f.Subnets, f.RouteTables, f.Roles = lost.SecurityGroups, lost.Subnets, lost.RouteTables, lost.Roles
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
	var g, fromEC2 errgroup.Group
	fromEC2.Go(func() error {
		f.SecurityGroups = tagged(ctx, c, "security groups", group, securityGroups)
		return nil
	})
	fromEC2.Go(func() error { f.Subnets = tagged(ctx, c, "subnets", subnet, subnets); return nil })
	fromEC2.Go(func() error { f.RouteTables = tagged(ctx, c, "route tables", vpc, routeTables); return nil })
	g.Go(func() error {
		ctx, cancel := a.aside(ctx)
		defer cancel()
		defer a.waits.begin("IAM", a.until(a.o.SidePatience, DefaultSidePatience))()
		f.Roles = roles(ctx, iam.NewFromConfig(c.cfg), named(profiles), a.actions)
		if profiles[cloud.Nameless] {
			f.Roles = verify.Failed[[]cloud.RoleRights](errors.New("EC2's answer does not say which instance profile a control plane has"))
		}
		return nil
	})
	_ = fromEC2.Wait()
	ended()
	_ = g.Wait() // each reports in its own place
}

// named are those of the profiles that IAM can be asked about.
func named(profiles set) []string {
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

// lookup reads one page of resources' tags.
type lookup func(ctx context.Context, client *ec2.Client, ids []string, token *string) (map[string][]types.Tag, *string, error)

// tagged collects the tags of resources, region by region and batch by batch.
func tagged(ctx context.Context, c Clients, what string, ids map[string]set, page lookup) verify.Read[map[string]cloud.Tags] {
	found := map[string]cloud.Tags{}
	var mu sync.Mutex
	var errs []error
	for _, region := range slices.Sorted(maps.Keys(ids)) {
		client := ec2Client(c, region)
		errs = append(errs, inBatches(ctx, ids[region].sorted(), func(ctx context.Context, ids []string) error {
			return eachPage(ctx, what, func(token *string) (*string, error) {
				items, next, err := page(ctx, client, ids, token)
				if _, nameless := items[""]; nameless && err == nil {
					err = errNameless
				}
				mu.Lock()
				defer mu.Unlock()
				for id, t := range items {
					found[id] = tags(t)
				}
				return next, err
			})
		}))
	}
	if err := errors.Join(errs...); err != nil {
		return verify.Failed[map[string]cloud.Tags](err)
	}
	return verify.Got(found)
}

func securityGroups(ctx context.Context, client *ec2.Client, ids []string, token *string) (map[string][]types.Tag, *string, error) {
	out, err := client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: filter("group-id", ids...), NextToken: token, MaxResults: awssdk.Int32(pageSize)})
	if err != nil {
		return nil, nil, err
	}
	items := map[string][]types.Tag{}
	for _, g := range out.SecurityGroups {
		items[awssdk.ToString(g.GroupId)] = g.Tags
	}
	return items, out.NextToken, nil
}

func subnets(ctx context.Context, client *ec2.Client, ids []string, token *string) (map[string][]types.Tag, *string, error) {
	out, err := client.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{Filters: filter("subnet-id", ids...), NextToken: token, MaxResults: awssdk.Int32(pageSize)})
	if err != nil {
		return nil, nil, err
	}
	items := map[string][]types.Tag{}
	for _, s := range out.Subnets {
		items[awssdk.ToString(s.SubnetId)] = s.Tags
	}
	return items, out.NextToken, nil
}

func routeTables(ctx context.Context, client *ec2.Client, vpcs []string, token *string) (map[string][]types.Tag, *string, error) {
	out, err := client.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{Filters: filter("vpc-id", vpcs...), NextToken: token, MaxResults: awssdk.Int32(100)})
	if err != nil {
		return nil, nil, err
	}
	items := map[string][]types.Tag{}
	for _, t := range out.RouteTables {
		items[awssdk.ToString(t.RouteTableId)] = t.Tags
	}
	return items, out.NextToken, nil
}
