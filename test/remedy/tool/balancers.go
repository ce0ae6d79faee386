package tool

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
)

// balancerCommands are those with which an administrator breaks load balancers.
func balancerCommands() map[string]command {
	const rule, tagging = "group-id! protocol! port! cidr! region", "load-balancer-names!+ tags!+ region"
	return map[string]command{
		"ec2 authorize-security-group-ingress": {rule, func(ctx context.Context, cfg sdk.Config, o options) error {
			allowed, err := permission(o)
			if err == nil {
				_, err = ec2.NewFromConfig(cfg).AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: sdk.String(o.one("group-id")), IpPermissions: allowed})
			}
			return err
		}},
		"ec2 revoke-security-group-ingress": {rule, func(ctx context.Context, cfg sdk.Config, o options) error {
			allowed, err := permission(o)
			if err == nil {
				_, err = ec2.NewFromConfig(cfg).RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: sdk.String(o.one("group-id")), IpPermissions: allowed})
			}
			return err
		}},
		"elb create-load-balancer": {"load-balancer-name! listeners! subnets!+ tags!+ region", func(ctx context.Context, cfg sdk.Config, o options) error {
			listener, err := listenerOf(o.one("listeners"))
			if err != nil {
				return err
			}
			tags, err := balancerTags(o["tags"])
			if err == nil {
				_, err = elb.NewFromConfig(cfg).CreateLoadBalancer(ctx, &elb.CreateLoadBalancerInput{LoadBalancerName: sdk.String(o.one("load-balancer-name")),
					Listeners: []types.Listener{listener}, Subnets: o["subnets"], Tags: tags})
			}
			return err
		}},
		"elb delete-load-balancer": {"load-balancer-name! region", func(ctx context.Context, cfg sdk.Config, o options) error {
			_, err := elb.NewFromConfig(cfg).DeleteLoadBalancer(ctx, &elb.DeleteLoadBalancerInput{LoadBalancerName: sdk.String(o.one("load-balancer-name"))})
			return err
		}},
		"elb add-tags": {tagging, func(ctx context.Context, cfg sdk.Config, o options) error {
			tags, err := balancerTags(o["tags"])
			if err == nil {
				_, err = elb.NewFromConfig(cfg).AddTags(ctx, &elb.AddTagsInput{LoadBalancerNames: o["load-balancer-names"], Tags: tags})
			}
			return err
		}},
		"elb remove-tags": {tagging, func(ctx context.Context, cfg sdk.Config, o options) error {
			tags, err := balancerTags(o["tags"])
			var keys []types.TagKeyOnly
			for _, t := range tags {
				keys = append(keys, types.TagKeyOnly{Key: t.Key})
			}
			if err == nil {
				_, err = elb.NewFromConfig(cfg).RemoveTags(ctx, &elb.RemoveTagsInput{LoadBalancerNames: o["load-balancer-names"], Tags: keys})
			}
			return err
		}},
		"elb deregister-instances-from-load-balancer": {"load-balancer-name! instances!+ region", func(ctx context.Context, cfg sdk.Config, o options) error {
			var instances []types.Instance
			for _, id := range o["instances"] {
				instances = append(instances, types.Instance{InstanceId: sdk.String(id)})
			}
			_, err := elb.NewFromConfig(cfg).DeregisterInstancesFromLoadBalancer(ctx, &elb.DeregisterInstancesFromLoadBalancerInput{
				LoadBalancerName: sdk.String(o.one("load-balancer-name")), Instances: instances})
			return err
		}},
	}
}

// permission returns one rule, as the AWS CLI writes it.
func permission(o options) ([]ec2types.IpPermission, error) {
	port, err := number(o.one("port"))
	return []ec2types.IpPermission{{IpProtocol: sdk.String(o.one("protocol")), FromPort: &port, ToPort: &port, IpRanges: []ec2types.IpRange{{CidrIp: sdk.String(o.one("cidr"))}}}}, err
}

func balancerTags(texts []string) ([]types.Tag, error) {
	parsed, err := shorthand(texts)
	var tags []types.Tag
	for _, t := range parsed {
		tags = append(tags, types.Tag{Key: t.Key, Value: t.Value})
	}
	return tags, err
}

// listenerOf parses Protocol=TCP,LoadBalancerPort=80,InstancePort=30080.
func listenerOf(text string) (types.Listener, error) {
	var l types.Listener
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		port, err := number(value)
		switch {
		case name == "Protocol":
			l.Protocol = sdk.String(value)
		case name == "LoadBalancerPort" && err == nil:
			l.LoadBalancerPort = port
		case name == "InstancePort" && err == nil:
			l.InstancePort = &port
		default:
			return l, fmt.Errorf("parameter --listeners: %q, wanted Protocol=, LoadBalancerPort= or InstancePort=", part)
		}
	}
	return l, nil
}

func number(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err
}
