package elb

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func (r *reader) listV2(ctx context.Context) ([]cloud.Balancer, error) {
	var found []cloud.Balancer
	pages := v2.NewDescribeLoadBalancersPaginator(r.v2Client(), &v2.DescribeLoadBalancersInput{PageSize: awssdk.Int32(pageSize)})
	err := paging.Each(ctx, "network load balancers", pages, func(out *v2.DescribeLoadBalancersOutput) (*string, error) {
		for _, lb := range out.LoadBalancers {
			name := awssdk.ToString(lb.LoadBalancerName)
			if name == "" || awssdk.ToString(lb.LoadBalancerArn) == "" {
				return nil, paging.ErrNameless
			}
			if cloud.IsBalancerName(name) {
				found = append(found, v2Balancer(lb))
			}
		}
		return out.NextMarker, nil
	})
	return found, err
}

func v2Balancer(lb types.LoadBalancer) cloud.Balancer {
	b := cloud.Balancer{Name: *lb.LoadBalancerName, ARN: *lb.LoadBalancerArn, Type: string(lb.Type), DNSName: awssdk.ToString(lb.DNSName)}
	var places []string
	for _, z := range lb.AvailabilityZones {
		place := awssdk.ToString(z.SubnetId) + " in " + awssdk.ToString(z.ZoneName)
		for _, a := range z.LoadBalancerAddresses {
			place += labeled(" address ", awssdk.ToString(a.AllocationId)) + labeled(" private address ", awssdk.ToString(a.PrivateIPv4Address))
		}
		places = append(places, place)
	}
	b.Aspects = map[cloud.Aspect][]string{
		cloud.HostName: {b.DNSName}, cloud.Scheme: {string(lb.Scheme)}, cloud.Kind: {b.Type + labeled(" ", string(lb.IpAddressType))},
		cloud.Subnets: sorted(places), cloud.SecurityGroups: sorted(lb.SecurityGroups),
	}
	return b
}

func (r *reader) tagV2(ctx context.Context, all []cloud.Balancer) {
	client := r.v2Client()
	readTags(ctx, all, func(b cloud.Balancer) string { return b.ARN }, func(arns []string) (map[string]map[string]string, error) {
		out, err := client.DescribeTags(ctx, &v2.DescribeTagsInput{ResourceArns: arns})
		if err != nil {
			return nil, err
		}
		tags := map[string]map[string]string{}
		for _, d := range out.TagDescriptions {
			tags[awssdk.ToString(d.ResourceArn)] = byKey(d.Tags, func(t types.Tag) (key, value *string) { return t.Key, t.Value })
		}
		return tags, nil
	})
}

// networkParts reads the target groups of all load balancers together, and the rest for each.
func (r *reader) networkParts(ctx context.Context, all []cloud.Balancer) error {
	client := r.v2Client()
	if !slices.ContainsFunc(all, func(b cloud.Balancer) bool { return r.query.Names[b.Name] }) {
		return nil
	}
	groups, err := targetGroups(ctx, client)
	if err != nil {
		return err
	}
	return r.each(ctx, all, func(ctx context.Context, b *cloud.Balancer) error {
		r.health(ctx, client, b, groups[b.ARN])
		if !r.query.Detail {
			return nil
		}
		if err := listeners(ctx, client, b); err != nil {
			return err
		}
		return attributes(ctx, client, b, groups[b.ARN])
	})
}

// targetGroups returns the target groups by the ARN of their load balancer.
func targetGroups(ctx context.Context, client *v2.Client) (map[string][]types.TargetGroup, error) {
	groups := map[string][]types.TargetGroup{}
	pages := v2.NewDescribeTargetGroupsPaginator(client, &v2.DescribeTargetGroupsInput{PageSize: awssdk.Int32(pageSize)})
	err := paging.Each(ctx, "target groups", pages, func(out *v2.DescribeTargetGroupsOutput) (*string, error) {
		for _, g := range out.TargetGroups {
			if awssdk.ToString(g.TargetGroupArn) == "" {
				return nil, paging.ErrNameless
			}
			for _, arn := range g.LoadBalancerArns {
				groups[arn] = append(groups[arn], g)
			}
		}
		return out.NextMarker, nil
	})
	return groups, err
}

// health reads the health checks and the targets of a load balancer.
func (r *reader) health(ctx context.Context, client *v2.Client, b *cloud.Balancer, groups []types.TargetGroup) {
	targets, ids, checks := []cloud.Target{}, []string{}, []string{}
	for _, g := range groups {
		checks = append(checks, healthCheck(g))
		out, err := client.DescribeTargetHealth(ctx, &v2.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn})
		if err != nil {
			b.Targets = verify.Failed[[]cloud.Target](failed(ctx, "the health of the targets of "+b.String(), err))
			return
		}
		for _, d := range out.TargetHealthDescriptions {
			if d.Target == nil || d.TargetHealth == nil {
				continue
			}
			state := d.TargetHealth.State
			t := cloud.Target{ID: awssdk.ToString(d.Target.Id), Port: int(awssdk.ToInt32(d.Target.Port)), State: string(state), Healthy: state == types.TargetHealthStateEnumHealthy}
			targets = append(targets, t)
			if state != types.TargetHealthStateEnumDraining {
				ids = append(ids, t.ID+" port "+strconv.Itoa(t.Port))
			}
		}
	}
	b.Targets = verify.Got(targets)
	b.Aspects[cloud.Targets], b.Aspects[cloud.HealthChecks] = sorted(ids), sorted(checks)
}

func healthCheck(g types.TargetGroup) string {
	return fmt.Sprintf("%s port %s%s every %d s, timeout %d s, healthy after %d, unhealthy after %d (%s port %d, %s)", g.HealthCheckProtocol, awssdk.ToString(g.HealthCheckPort),
		labeled(" ", awssdk.ToString(g.HealthCheckPath)), awssdk.ToInt32(g.HealthCheckIntervalSeconds), awssdk.ToInt32(g.HealthCheckTimeoutSeconds),
		awssdk.ToInt32(g.HealthyThresholdCount), awssdk.ToInt32(g.UnhealthyThresholdCount), g.Protocol, awssdk.ToInt32(g.Port), g.TargetType)
}

func listeners(ctx context.Context, client *v2.Client, b *cloud.Balancer) error {
	lines := []string{}
	pages := v2.NewDescribeListenersPaginator(client, &v2.DescribeListenersInput{LoadBalancerArn: &b.ARN, PageSize: awssdk.Int32(pageSize)})
	err := paging.Each(ctx, "the listeners of "+b.String(), pages, func(out *v2.DescribeListenersOutput) (*string, error) {
		for _, l := range out.Listeners {
			line := fmt.Sprintf("%s %d", l.Protocol, awssdk.ToInt32(l.Port))
			for _, a := range l.DefaultActions {
				line += " to " + awssdk.ToString(a.TargetGroupArn)
			}
			for _, c := range l.Certificates {
				line += labeled(" certificate ", awssdk.ToString(c.CertificateArn))
			}
			lines = append(lines, line+labeled(" policy ", awssdk.ToString(l.SslPolicy))+labeled(" ALPN ", l.AlpnPolicy...))
		}
		return out.NextMarker, nil
	})
	b.Aspects[cloud.Listeners] = sorted(lines)
	return err
}

func attributes(ctx context.Context, client *v2.Client, b *cloud.Balancer, groups []types.TargetGroup) error {
	out, err := client.DescribeLoadBalancerAttributes(ctx, &v2.DescribeLoadBalancerAttributesInput{LoadBalancerArn: &b.ARN})
	if err != nil {
		return failed(ctx, "the attributes of "+b.String(), err)
	}
	lines := []string{}
	for _, a := range out.Attributes {
		lines = append(lines, awssdk.ToString(a.Key)+"="+awssdk.ToString(a.Value))
	}
	for _, g := range groups {
		out, err := client.DescribeTargetGroupAttributes(ctx, &v2.DescribeTargetGroupAttributesInput{TargetGroupArn: g.TargetGroupArn})
		if err != nil {
			return failed(ctx, "the attributes of target group "+*g.TargetGroupArn, err)
		}
		for _, a := range out.Attributes {
			lines = append(lines, fmt.Sprintf("port %d: %s=%s", awssdk.ToInt32(g.Port), awssdk.ToString(a.Key), awssdk.ToString(a.Value)))
		}
	}
	b.Aspects[cloud.Attributes] = sorted(lines)
	return nil
}
