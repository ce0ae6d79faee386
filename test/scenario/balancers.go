package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/observer"
)

// NewBalancerWrites returns the successful calls since a time that change load balancers or
// security groups, unless the same call with the same parameters was made before. A provider's
// controllers repeat some calls at each start.
func (l *Lab) NewBalancerWrites(since time.Time) ([]string, error) {
	f, err := os.Open(filepath.Join(l.Dir, observer.AWSFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	earlier, later := map[string]bool{}, map[string]bool{}
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var c aws.Call
		if err := in.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the record of AWS calls: %w", err)
		}
		if !c.Write || c.Error != "" || c.Service == "ec2" && !strings.Contains(c.Action, "SecurityGroup") {
			continue
		}
		text := fmt.Sprintf("%s:%s %v", c.Service, c.Action, c.Params)
		if c.Time.Before(since) {
			earlier[text] = true
		} else {
			later[text] = true
		}
	}
	if len(earlier) == 0 {
		return nil, fmt.Errorf("AWS recorded no such call before %s: nothing is proven", since.Format(time.TimeOnly))
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(later)), func(call string) bool { return earlier[call] }), nil
}

// CreateSecurityGroup creates a security group in the lab's VPC, without rules, and returns its ID.
func (l *Lab) CreateSecurityGroup(ctx context.Context, name string) (string, error) {
	cfg, err := l.administratorAWS(ctx)
	if err != nil {
		return "", err
	}
	client := ec2.NewFromConfig(cfg)
	vpcs, err := client.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{})
	if err != nil {
		return "", err
	}
	group, err := client.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{GroupName: &name, Description: &name, VpcId: vpcs.Vpcs[0].VpcId})
	if err != nil {
		return "", err
	}
	return sdk.ToString(group.GroupId), nil
}

// SlowHealthCheck makes the health check of a classic load balancer slower, as an administrator of
// the account.
func (l *Lab) SlowHealthCheck(ctx context.Context, host string) error {
	cfg, err := l.administratorAWS(ctx)
	if err != nil {
		return err
	}
	client, name := elb.NewFromConfig(cfg), strings.Split(host, "-")[0]
	found, err := client.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{name}})
	if err != nil {
		return err
	}
	check := found.LoadBalancerDescriptions[0].HealthCheck
	check.Interval = sdk.Int32(60)
	_, err = client.ConfigureHealthCheck(ctx, &elb.ConfigureHealthCheckInput{LoadBalancerName: &name, HealthCheck: check})
	return err
}

// WaitHostnames waits until each of the Services in the namespace default has a load balancer, and
// returns their host names.
func (l *Lab) WaitHostnames(ctx context.Context, services ...string) (map[string]string, error) {
	hosts := map[string]string{}
	return hosts, Until(ctx, "load balancers", func(ctx context.Context) (bool, string, error) {
		for _, name := range services {
			s, err := l.Downstream.CoreV1().Services("default").Get(ctx, name, metav1.GetOptions{})
			if err != nil || len(s.Status.LoadBalancer.Ingress) == 0 {
				return false, name + " has none", err
			}
			hosts[name] = s.Status.LoadBalancer.Ingress[0].Hostname
		}
		return true, "", nil
	})
}
