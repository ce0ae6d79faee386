// Package aws reads cloud.Facts from EC2, IAM and STS. It only describes and
// simulates; it changes nothing.
package aws

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Mode is --aws.
type Mode string

// Modes. Auto asks AWS when there are credentials.
const (
	Auto Mode = "auto"
	On   Mode = "on"
	Off  Mode = "off"
)

// Options say whom to ask and as whom.
type Options struct {
	Mode       Mode
	Region     string // "": from the nodes' zones
	Profile    string
	AssumeRole string // ARN
	// Actions are what the CCM's version needs; none: IAM is not asked.
	Actions []string
}

// Clients are the three services.
type Clients struct {
	EC2 *ec2.Client
	IAM *iam.Client
	STS *sts.Client
}

// Connect loads credentials the way the AWS command line does. off is a reason
// for not asking: mode off, or auto without credentials. With mode on missing
// credentials are an error.
func Connect(ctx context.Context, o Options, region string) (c Clients, off string, err error) {
	if o.Mode == Off {
		return Clients{}, "--aws=off", nil
	}
	load := []func(*config.LoadOptions) error{
		config.WithRetryer(func() awssdk.Retryer { return retry.NewAdaptiveMode() }),
		config.WithLogger(logging.Nop{}), // what matters comes back as an error
	}
	if region != "" {
		load = append(load, config.WithRegion(region))
	}
	if o.Profile != "" {
		load = append(load, config.WithSharedConfigProfile(o.Profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err == nil && o.AssumeRole != "" {
		cfg.Credentials = awssdk.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), o.AssumeRole))
	}
	if err == nil && cfg.Credentials == nil {
		err = fmt.Errorf("no AWS credentials are configured")
	}
	if err == nil {
		err = retrieve(ctx, cfg.Credentials)
	}
	if err == nil && cfg.Region == "" {
		err = fmt.Errorf("the region is not known: no node has a ProviderID of AWS, and none is configured (--region)")
	}
	switch {
	case err != nil && o.Mode != On && o.Profile == "" && o.AssumeRole == "":
		return Clients{}, "no AWS credentials: " + firstLine(err), nil
	case err != nil:
		return Clients{}, "", fmt.Errorf("AWS credentials: %w", err)
	}
	return Clients{EC2: ec2.NewFromConfig(cfg), IAM: iam.NewFromConfig(cfg), STS: sts.NewFromConfig(cfg)}, "", nil
}

// credentialPatience bounds the look for credentials: off EC2 the metadata
// service may not even refuse.
const credentialPatience = 5 * time.Second

func retrieve(ctx context.Context, p awssdk.CredentialsProvider) error {
	ctx, cancel := context.WithTimeoutCause(ctx, credentialPatience, fmt.Errorf("no credentials within %s", credentialPatience))
	defer cancel()
	_, err := p.Retrieve(ctx)
	return err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Read asks AWS about the nodes' instances. It always returns; what could not be
// read says so in its place.
func Read(ctx context.Context, nodes []downstream.Node, o Options) cloud.Facts {
	region := o.Region
	if region == "" {
		region = RegionOf(nodes)
	}
	clients, off, err := Connect(ctx, o, region)
	switch {
	case err != nil:
		return cloud.Facts{
			On: true, Region: region, Identity: verify.Failed[cloud.Identity](err), Instances: verify.Failed[map[string]cloud.Instance](err),
			SecurityGroups: verify.Failed[map[string]cloud.Tags](err), Subnets: verify.Failed[map[string]cloud.Tags](err),
			RouteTables: verify.Failed[map[string]cloud.Tags](err), Roles: verify.Failed[[]cloud.RoleRights](err),
		}
	case off != "":
		return cloud.Facts{Off: off, Region: region}
	}
	return ReadWith(ctx, clients, region, nodes, o.Actions)
}

// ReadWith is Read with clients of the caller's.
func ReadWith(ctx context.Context, c Clients, region string, nodes []downstream.Node, actions []string) cloud.Facts {
	f := cloud.Facts{On: true, Region: region, Identity: c.identity(ctx)}
	var ids []string
	roles := map[string]bool{}
	for _, n := range nodes {
		if _, id, ok := downstream.ParseProviderID(n.ProviderID); ok {
			ids = append(ids, id)
			roles[id] = n.ControlPlane()
		}
	}
	f.Instances = c.instances(ctx, ids)
	if !f.Instances.OK() {
		err := f.Instances.Err
		f.SecurityGroups, f.Subnets = verify.Failed[map[string]cloud.Tags](err), verify.Failed[map[string]cloud.Tags](err)
		f.RouteTables, f.Roles = verify.Failed[map[string]cloud.Tags](err), verify.Failed[[]cloud.RoleRights](err)
		return f
	}
	groups, subnets, vpcs, profiles := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for id, i := range f.Instances.Value {
		for _, g := range i.SecurityGroups {
			groups[g] = true
		}
		subnets[i.Subnet], vpcs[i.VPC] = true, true
		if roles[id] && i.InstanceProfile != "" {
			profiles[i.InstanceProfile] = true
		}
	}
	f.SecurityGroups = c.securityGroups(ctx, names(groups))
	f.Subnets = c.subnets(ctx, names(subnets))
	f.RouteTables = c.routeTables(ctx, names(vpcs))
	f.Roles = c.roles(ctx, names(profiles), actions)
	return f
}

func names(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for n := range set {
		if n != "" {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out
}

var regionPattern = regexp.MustCompile(`^[a-z]{2}(?:-[a-z]+)+-\d+`)

// RegionOf takes the region from the nodes' zones, those of their ProviderIDs:
// us-east-1a is in us-east-1, and so is local zone us-east-1-bos-1a. "" when no
// node has one or they differ.
func RegionOf(nodes []downstream.Node) string {
	region := ""
	for _, n := range nodes {
		zone, _, ok := downstream.ParseProviderID(n.ProviderID)
		if !ok {
			continue
		}
		r := regionPattern.FindString(zone)
		if region != "" && r != region {
			return ""
		}
		region = r
	}
	return region
}
