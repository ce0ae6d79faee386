package elb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func (r *reader) listClassic(ctx context.Context) ([]cloud.Balancer, error) {
	var found []cloud.Balancer
	pages := classic.NewDescribeLoadBalancersPaginator(r.classicClient(), &classic.DescribeLoadBalancersInput{PageSize: awssdk.Int32(pageSize)})
	err := paging.Each(ctx, "classic load balancers", pages, func(out *classic.DescribeLoadBalancersOutput) (*string, error) {
		for _, lb := range out.LoadBalancerDescriptions {
			name := awssdk.ToString(lb.LoadBalancerName)
			if name == "" {
				return nil, paging.ErrNameless
			}
			if cloud.IsBalancerName(name) {
				found = append(found, classicBalancer(lb))
			}
		}
		return out.NextMarker, nil
	})
	return found, err
}

func classicBalancer(lb types.LoadBalancerDescription) cloud.Balancer {
	b := cloud.Balancer{Name: *lb.LoadBalancerName, Type: cloud.Classic, DNSName: awssdk.ToString(lb.DNSName)}
	b.Aspects = map[cloud.Aspect][]string{
		cloud.HostName: {b.DNSName}, cloud.Scheme: {awssdk.ToString(lb.Scheme)}, cloud.Kind: {cloud.Classic},
		cloud.Subnets: sorted(slices.Concat(lb.Subnets, lb.AvailabilityZones)), cloud.SecurityGroups: sorted(lb.SecurityGroups),
		cloud.Listeners: classicListeners(lb),
	}
	if h := lb.HealthCheck; h != nil {
		b.Aspects[cloud.HealthChecks] = []string{fmt.Sprintf("%s every %d s, timeout %d s, healthy after %d, unhealthy after %d", awssdk.ToString(h.Target),
			awssdk.ToInt32(h.Interval), awssdk.ToInt32(h.Timeout), awssdk.ToInt32(h.HealthyThreshold), awssdk.ToInt32(h.UnhealthyThreshold))}
	}
	for _, i := range lb.Instances {
		b.Aspects[cloud.Targets] = append(b.Aspects[cloud.Targets], awssdk.ToString(i.InstanceId))
	}
	b.Aspects[cloud.Targets] = sorted(b.Aspects[cloud.Targets])
	return b
}

func classicListeners(lb types.LoadBalancerDescription) []string {
	var lines []string
	for _, d := range lb.ListenerDescriptions {
		if l := d.Listener; l != nil {
			line := fmt.Sprintf("%s %d to %s %d", awssdk.ToString(l.Protocol), l.LoadBalancerPort, awssdk.ToString(l.InstanceProtocol), awssdk.ToInt32(l.InstancePort))
			lines = append(lines, line+labeled(" certificate ", awssdk.ToString(l.SSLCertificateId))+labeled(" policies ", sorted(d.PolicyNames)...))
		}
	}
	for _, s := range lb.BackendServerDescriptions {
		if len(s.PolicyNames) > 0 {
			lines = append(lines, fmt.Sprintf("instance port %d", awssdk.ToInt32(s.InstancePort))+labeled(" policies ", sorted(s.PolicyNames)...))
		}
	}
	return sorted(lines)
}

// labeled returns the values behind a label, or "" without values.
func labeled(label string, values ...string) string {
	if text := strings.Join(values, ", "); text != "" {
		return label + text
	}
	return ""
}

func (r *reader) tagClassic(ctx context.Context, all []cloud.Balancer) {
	client := r.classicClient()
	readTags(ctx, all, func(b cloud.Balancer) string { return b.Name }, func(names []string) (map[string]map[string]string, error) {
		out, err := client.DescribeTags(ctx, &classic.DescribeTagsInput{LoadBalancerNames: names})
		if err != nil {
			return nil, err
		}
		tags := map[string]map[string]string{}
		for _, d := range out.TagDescriptions {
			tags[awssdk.ToString(d.LoadBalancerName)] = byKey(d.Tags, func(t types.Tag) (key, value *string) { return t.Key, t.Value })
		}
		return tags, nil
	})
}

func (r *reader) classicParts(ctx context.Context, all []cloud.Balancer) error {
	client := r.classicClient()
	return r.each(ctx, all, func(ctx context.Context, b *cloud.Balancer) error {
		b.Targets = verify.ReadOf(classicHealth(ctx, client, b.Name))
		if !r.query.Detail {
			return nil
		}
		out, err := client.DescribeLoadBalancerAttributes(ctx, &classic.DescribeLoadBalancerAttributesInput{LoadBalancerName: &b.Name})
		if err != nil {
			return failed(ctx, "the attributes of "+b.String(), err)
		}
		b.Aspects[cloud.Attributes] = classicAttributes(out.LoadBalancerAttributes)
		return nil
	})
}

func classicHealth(ctx context.Context, client *classic.Client, name string) ([]cloud.Target, error) {
	out, err := client.DescribeInstanceHealth(ctx, &classic.DescribeInstanceHealthInput{LoadBalancerName: &name})
	if err != nil {
		return nil, failed(ctx, "the health of the instances of classic load balancer "+name, err)
	}
	targets := []cloud.Target{}
	for _, s := range out.InstanceStates {
		state := awssdk.ToString(s.State)
		targets = append(targets, cloud.Target{ID: awssdk.ToString(s.InstanceId), State: state, Healthy: state == "InService"})
	}
	return targets, nil
}

func classicAttributes(a *types.LoadBalancerAttributes) []string {
	if a == nil {
		return nil
	}
	var lines []string
	add := func(key string, value any) { lines = append(lines, fmt.Sprintf("%s=%v", key, value)) }
	if x := a.CrossZoneLoadBalancing; x != nil {
		add("cross zone", x.Enabled)
	}
	if x := a.AccessLog; x != nil {
		add("access log", x.Enabled)
		if x.Enabled {
			add("access log place", awssdk.ToString(x.S3BucketName)+"/"+awssdk.ToString(x.S3BucketPrefix))
			add("access log interval", awssdk.ToInt32(x.EmitInterval))
		}
	}
	if x := a.ConnectionDraining; x != nil {
		add("connection draining", x.Enabled)
		if x.Enabled {
			add("connection draining timeout", awssdk.ToInt32(x.Timeout))
		}
	}
	if x := a.ConnectionSettings; x != nil {
		add("idle timeout", awssdk.ToInt32(x.IdleTimeout))
	}
	for _, x := range a.AdditionalAttributes {
		add(awssdk.ToString(x.Key), awssdk.ToString(x.Value))
	}
	return sorted(lines)
}
