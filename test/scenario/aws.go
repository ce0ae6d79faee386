package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/smithy-go/logging"
)

// Targets returns the instances that are registered with the classic load balancer of a hostname.
func (l *Lab) Targets(ctx context.Context, hostname string) ([]string, error) {
	client := elasticloadbalancing.NewFromConfig(l.aws())
	pages := elasticloadbalancing.NewDescribeLoadBalancersPaginator(client, &elasticloadbalancing.DescribeLoadBalancersInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("describe load balancers: %w", err)
		}
		for _, balancer := range page.LoadBalancerDescriptions {
			if aws.ToString(balancer.DNSName) != hostname {
				continue
			}
			var ids []string
			for _, instance := range balancer.Instances {
				ids = append(ids, aws.ToString(instance.InstanceId))
			}
			slices.Sort(ids)
			return ids, nil
		}
	}
	return nil, fmt.Errorf("no load balancer has the hostname %s", hostname)
}

func (l *Lab) aws() aws.Config {
	get := func(name string) string {
		for _, variable := range l.env {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}
	return aws.Config{
		Region:       get("AWS_REGION"),
		BaseEndpoint: aws.String(get("AWS_ENDPOINT_URL")),
		Credentials: credentials.NewStaticCredentialsProvider(get("AWS_ACCESS_KEY_ID"),
			get("AWS_SECRET_ACCESS_KEY"), get("AWS_SESSION_TOKEN")),
		ConfigSources: []any{config.EnvConfig{}},
		Logger:        logging.Nop{},
	}
}

// instanceOf returns the instance ID in a ProviderID.
func instanceOf(providerID string) string {
	return providerID[strings.LastIndex(providerID, "/")+1:]
}
