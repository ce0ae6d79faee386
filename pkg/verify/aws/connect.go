// Package aws reads cloud.Facts from EC2, IAM and STS. It only describes and simulates; it
// changes nothing.
//
// It knows only the ProviderIDs of Nodes and judges nothing. A part that could not be read holds
// its error and is never reported as missing.
package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Mode is the value of --aws.
type Mode string

// The modes. Auto uses AWS if credentials are configured.
const (
	Auto Mode = "auto"
	On   Mode = "on"
	Off  Mode = "off"
)

// Defaults of Options.
const (
	DefaultTimeout      = 20 * time.Second
	DefaultTotalTimeout = time.Minute
	// DefaultSideTimeout is the total timeout of IAM and STS.
	DefaultSideTimeout = 20 * time.Second
)

// Options selects the readings of AWS, and their identity.
type Options struct {
	Mode       Mode
	Identity   Identity
	Region     string // the only region to read; empty means the regions of the nodes' zones
	Profile    string
	AssumeRole string // ARN
	// ExternalID is sent to the role's trust policy, unless it is empty.
	ExternalID string
	// SessionName appears in CloudTrail with the role. Empty means DefaultSessionName.
	SessionName string
	// Actions are the actions that the CCM's version needs. Without actions IAM is not asked.
	Actions []string
	// Timeout limits one request. TotalTimeout limits all requests after the Nodes are known, and
	// separately all requests during their listing. 0 means the defaults.
	Timeout, TotalTimeout time.Duration
	// SideTimeout limits IAM and STS. Many VPCs have no route to them, and only one check and the
	// header need them. 0 means DefaultSideTimeout.
	SideTimeout time.Duration
}

// Limits of the retries of one request. The SDK's adaptive mode slows down after throttling.
const (
	maxAttempts = 6
	maxBackoff  = 10 * time.Second
)

// ec2Client returns the client of one region, or of the configured region if region is empty. No
// field and no interface may hold a client: reflection would reach it there, and the linker would
// then keep all of its methods. EC2's 700 methods are a third of the program.
func ec2Client(cfg awssdk.Config, region string) *ec2.Client {
	return ec2.NewFromConfig(cfg, func(o *ec2.Options) {
		if region != "" {
			o.Region = region
		}
	})
}

// connect loads credentials as the AWS command line does. off is the reason not to use AWS: mode
// off, or auto without any configured credentials. Configured credentials that do not work are an
// error, and so are missing ones in mode on.
func connect(ctx context.Context, o Options, region string) (cfg awssdk.Config, off string, err error) {
	if o.Mode == Off {
		return cfg, "--aws=off", nil
	}
	cfg, err = load(ctx, o, region)
	switch {
	case errors.Is(err, errNoRegion) && o.Mode != On:
		return cfg, err.Error(), nil
	case err == nil:
		return cfg, "", nil
	}
	switch source := configured(ctx, o); {
	case source != "":
		return cfg, "", fmt.Errorf("AWS credentials of %s do not work: %w; renew or correct them; --aws off asks nothing", source, err)
	case o.Mode == On:
		return cfg, "", fmt.Errorf("AWS credentials: %w", err)
	}
	return cfg, "no AWS credentials are configured; set AWS_PROFILE, or give --profile", nil
}

// errNoRegion is the error for credentials without a region.
var errNoRegion = errors.New("the region is not known: no node has an AWS ProviderID with a region, and none is configured (--region)")

func load(ctx context.Context, o Options, region string) (awssdk.Config, error) {
	cfg, err := o.configure(ctx, region)
	if err != nil {
		return cfg, err
	}
	if o.AssumeRole != "" {
		cfg.Credentials = awssdk.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), o.AssumeRole, o.session))
	}
	if cfg.Credentials == nil {
		return cfg, errNoCredentials
	}
	if err := retrieve(ctx, cfg.Credentials); err != nil {
		return cfg, err
	}
	if cfg.Region == "" {
		return cfg, errNoRegion
	}
	return cfg, nil
}

// DefaultSessionName is the default name of the role session.
const DefaultSessionName = "awsmigrate"

// session names the role session and adds the external ID, as AssumeRole accepts them (AWS STS API
// reference, 2011-06-15).
func (o Options) session(role *stscreds.AssumeRoleOptions) {
	role.RoleSessionName = cmp.Or(o.SessionName, DefaultSessionName)
	if o.ExternalID != "" {
		role.ExternalID = &o.ExternalID
	}
}

// retryer returns the SDK's adaptive mode with limits.
func retryer(attempts int, backoff time.Duration) awssdk.Retryer {
	return retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
		o.StandardOptions = append(o.StandardOptions, func(s *retry.StandardOptions) {
			s.MaxAttempts, s.MaxBackoff = attempts, backoff
		})
	})
}

// credentialTimeout limits the search for credentials. Outside EC2, the metadata service may not
// respond at all.
const credentialTimeout = 5 * time.Second

func retrieve(ctx context.Context, p awssdk.CredentialsProvider) error {
	ctx, cancel := context.WithTimeoutCause(ctx, credentialTimeout, fmt.Errorf("no credentials within %s", credentialTimeout))
	defer cancel()
	_, err := p.Retrieve(ctx)
	return err
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}
