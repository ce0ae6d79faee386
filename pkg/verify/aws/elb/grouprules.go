package elb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// rule is one inbound rule of a security group for one source.
type rule struct{ group, text, source, description string }

// groupRules adds the inbound rules that a cloud provider manages: all of a classic load
// balancer's own groups, those of the nodes' groups from such a group, and those of the nodes'
// groups for the clients of a network load balancer.
//
// The rules for the health checks of network load balancers are left out: they follow the
// subnets of the load balancer from CCM v1.26.1 on, and all discovered ones in-tree
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws_loadbalancer.go@v1.26.14
// updateInstanceSecurityGroupsForNLB).
func (r *reader) groupRules(ctx context.Context, all []cloud.Balancer) error {
	ids := slices.Clone(r.query.NodeGroups)
	for i := range all {
		if r.query.Names[all[i].Name] {
			ids = append(ids, all[i].Aspects[cloud.SecurityGroups]...)
		}
	}
	slices.Sort(ids)
	rules, err := r.inboundRules(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	for i := range all {
		if r.query.Names[all[i].Name] {
			all[i].Aspects[cloud.GroupRules] = rulesOf(all[i], rules)
		}
	}
	return nil
}

func rulesOf(b cloud.Balancer, rules []rule) []string {
	own := b.Aspects[cloud.SecurityGroups]
	lines := []string{}
	for _, one := range rules {
		client := b.Type != cloud.Classic && (strings.HasSuffix(one.description, "/nlb/client="+b.Name) || strings.HasSuffix(one.description, "/nlb/mtu="+b.Name))
		if slices.Contains(own, one.group) || slices.Contains(own, one.source) || client {
			lines = append(lines, one.group+": "+one.text+" from "+one.source)
		}
	}
	return sorted(lines)
}

// maxFilter is EC2's limit of values in the filters of one call.
const maxFilter = 200

func (r *reader) inboundRules(ctx context.Context, groups []string) ([]rule, error) {
	client := ec2.NewFromConfig(r.cfg)
	var rules []rule
	for chunk := range slices.Chunk(groups, maxFilter) {
		pages := ec2.NewDescribeSecurityGroupsPaginator(describeSecurityGroups(client.DescribeSecurityGroups),
			&ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{{Name: awssdk.String("group-id"), Values: chunk}}, MaxResults: awssdk.Int32(pageSize)})
		err := paging.Each(ctx, "security groups", pages, func(out *ec2.DescribeSecurityGroupsOutput) (*string, error) {
			for _, g := range out.SecurityGroups {
				for _, p := range g.IpPermissions {
					rules = append(rules, sources(awssdk.ToString(g.GroupId), p)...)
				}
			}
			return out.NextToken, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// sources returns a permission as one rule for each source.
func sources(group string, p types.IpPermission) []rule {
	text := awssdk.ToString(p.IpProtocol)
	if p.FromPort != nil {
		text += fmt.Sprintf(" %d-%d", *p.FromPort, awssdk.ToInt32(p.ToPort))
	}
	var rules []rule
	add := func(source, description *string) {
		rules = append(rules, rule{group, text, awssdk.ToString(source), awssdk.ToString(description)})
	}
	for _, x := range p.IpRanges {
		add(x.CidrIp, x.Description)
	}
	for _, x := range p.Ipv6Ranges {
		add(x.CidrIpv6, x.Description)
	}
	for _, x := range p.PrefixListIds {
		add(x.PrefixListId, x.Description)
	}
	for _, x := range p.UserIdGroupPairs {
		add(x.GroupId, x.Description)
	}
	return rules
}

// describeSecurityGroups is the method value of an EC2 client. A client in an interface would be
// linked with all of its methods.
type describeSecurityGroups func(context.Context, *ec2.DescribeSecurityGroupsInput, ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error)

// DescribeSecurityGroups implements ec2.DescribeSecurityGroupsAPIClient.
func (call describeSecurityGroups) DescribeSecurityGroups(ctx context.Context, in *ec2.DescribeSecurityGroupsInput, o ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error) {
	return call(ctx, in, o...)
}
