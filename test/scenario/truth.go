package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Truth is the lab's own state at a moment: its machines, its processes, its observer and its EC2.
// It uses nothing of awsmigrate.
type Truth struct {
	Machines  []Machine
	Nodes     map[string]corev1.Node
	Instances map[string]Instance
	// Groups and Subnets hold the clusters in the tags of each.
	Groups, Subnets map[string][]string
	Managers, CCMs  []Process // running processes
	// RunBy holds the processes that run each controller now. Idle holds the time since when no
	// process runs a controller, unless a process declined it by its configuration.
	RunBy map[string][]ObservedProcess
	Idle  map[string]time.Duration
}

// Machine is a machine of the lab. Node is the one that its kubelet maintains.
type Machine struct{ Name, Roles, Instance, State, Zone, PrivateDNSName, Node string }

// ControlPlane reports whether the machine must run a kube-controller-manager.
func (m Machine) ControlPlane() bool { return strings.Contains(m.Roles, "control-plane") }

// Instance is an instance in EC2, with all fields readable.
type Instance struct {
	State, Zone, Subnet, PrivateDNSName, PrivateIP, Tokens, Profile string
	Endpoint                                                        bool
	Groups, Clusters                                                []string
}

// Cluster returns the ID in the tags of most instances.
func (t Truth) Cluster() string {
	count, most := map[string]int{}, ""
	for _, i := range t.Instances {
		for _, id := range i.Clusters {
			if count[id]++; count[id] > count[most] {
				most = id
			}
		}
	}
	return most
}

// Truth reads the state once.
func (l *Lab) Truth(ctx context.Context) (Truth, error) {
	var t Truth
	text, err := exec.CommandContext(ctx, l.binary("lab"), "status", "--json", "--dir", l.Dir).Output()
	if err != nil {
		return t, fmt.Errorf("lab status: %w", err)
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("lab status: %w", err)
	}
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return t, err
	}
	t.Nodes = map[string]corev1.Node{}
	for _, n := range nodes.Items {
		t.Nodes[n.Name] = n
	}
	if t.Managers, err = l.Running(KubeControllerManager); err != nil {
		return t, err
	}
	if t.CCMs, err = l.Running(CloudControllerManager); err != nil {
		return t, err
	}
	if err := l.observed(ctx, &t); err != nil {
		return t, err
	}
	return t, l.readEC2(ctx, &t)
}

func (l *Lab) observed(ctx context.Context, t *Truth) error {
	seen, _, err := l.Observe(ctx, time.Time{})
	if err != nil {
		return err
	}
	t.RunBy, t.Idle = map[string][]ObservedProcess{}, map[string]time.Duration{}
	for _, c := range seen.Controllers {
		t.RunBy[c.Name] = c.RunBy()
		if gap := c.OpenGap(); gap != nil && gap.Declined == nil {
			t.Idle[c.Name] = time.Duration(gap.Seconds * float64(time.Second))
		}
	}
	return nil
}

func (l *Lab) readEC2(ctx context.Context, t *Truth) error {
	cfg, err := l.administratorAWS(ctx)
	if err != nil {
		return err
	}
	client := ec2.NewFromConfig(cfg)
	t.Instances, t.Groups, t.Subnets = map[string]Instance{}, map[string][]string{}, map[string][]string{}
	for pages := ec2.NewDescribeInstancesPaginator(client, &ec2.DescribeInstancesInput{}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("describe instances: %w", err)
		}
		for _, r := range page.Reservations {
			for _, i := range r.Instances {
				t.Instances[aws.ToString(i.InstanceId)] = instanceSeen(i)
			}
		}
	}
	groups, err := client.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{})
	if err != nil {
		return fmt.Errorf("describe security groups: %w", err)
	}
	for _, g := range groups.SecurityGroups {
		t.Groups[aws.ToString(g.GroupId)] = clustersOf(g.Tags)
	}
	subnets, err := client.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{})
	if err != nil {
		return fmt.Errorf("describe subnets: %w", err)
	}
	for _, s := range subnets.Subnets {
		t.Subnets[aws.ToString(s.SubnetId)] = clustersOf(s.Tags)
	}
	return nil
}

func instanceSeen(i types.Instance) Instance {
	seen := Instance{State: string(i.State.Name), Subnet: aws.ToString(i.SubnetId), PrivateDNSName: aws.ToString(i.PrivateDnsName),
		PrivateIP: aws.ToString(i.PrivateIpAddress), Clusters: clustersOf(i.Tags)}
	if i.Placement != nil {
		seen.Zone = aws.ToString(i.Placement.AvailabilityZone)
	}
	if i.MetadataOptions != nil {
		seen.Tokens, seen.Endpoint = string(i.MetadataOptions.HttpTokens), i.MetadataOptions.HttpEndpoint == types.InstanceMetadataEndpointStateEnabled
	}
	if i.IamInstanceProfile != nil {
		seen.Profile = aws.ToString(i.IamInstanceProfile.Arn)
	}
	for _, g := range i.SecurityGroups {
		seen.Groups = append(seen.Groups, aws.ToString(g.GroupId))
	}
	return seen
}

func clustersOf(tags []types.Tag) []string {
	var ids []string
	for _, tag := range tags {
		if id, is := strings.CutPrefix(aws.ToString(tag.Key), "kubernetes.io/cluster/"); is {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (l *Lab) administratorAWS(ctx context.Context) (aws.Config, error) {
	env, err := l.Administrator(ctx)
	if err != nil {
		return aws.Config{}, err
	}
	get := func(name string) string {
		for _, variable := range env {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}
	return aws.Config{Region: "us-east-1", BaseEndpoint: aws.String(get("AWS_ENDPOINT_URL")),
		Credentials: credentials.NewStaticCredentialsProvider(get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY"), get("AWS_SESSION_TOKEN"))}, nil
}
