// Package aws reads cloud.Facts from EC2, IAM and STS. It only describes and
// simulates; it changes nothing.
//
// It knows of Nodes only their ProviderIDs, and judges nothing: what could not be
// asked for says so in its place, and is never told as missing.
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

// Mode is --aws.
type Mode string

// Modes. Auto asks AWS when there are credentials.
const (
	Auto Mode = "auto"
	On   Mode = "on"
	Off  Mode = "off"
)

// Defaults of Options.
const (
	DefaultTimeout  = 20 * time.Second
	DefaultPatience = time.Minute
	// DefaultSidePatience is Patience for what is not EC2.
	DefaultSidePatience = 20 * time.Second
)

// Options say whom to ask and as whom.
type Options struct {
	Mode       Mode
	Identity   Identity
	Region     string // the only one to ask; "": those of the nodes' zones
	Profile    string
	AssumeRole string // ARN
	// ExternalID is what the role's trust policy may ask for; "": none is sent.
	ExternalID string
	// SessionName stands in CloudTrail beside the role; "": DefaultSessionName.
	SessionName string
	// Actions are what the CCM's version needs; none: IAM is not asked.
	Actions []string
	// Timeout bounds one request, Patience all that is asked from when the Nodes are
	// known, and likewise what was asked beside their listing; 0: the defaults.
	Timeout, Patience time.Duration
	// SidePatience bounds IAM and STS, which many a VPC has no way to and which one
	// check and the header need; 0: DefaultSidePatience.
	SidePatience time.Duration
}

// attempts bounds how often one request is sent. The SDK's adaptive mode slows
// down between them once it was throttled.
const (
	attempts   = 6
	maxBackoff = 10 * time.Second
)

// ec2Client returns the client of one region, or of the configuration's if region is
// empty. No field and no interface may hold a client: reflection reaches it there, and
// then it is linked with all of its methods. Those of EC2, 700, are a third of the program.
func ec2Client(cfg awssdk.Config, region string) *ec2.Client {
	return ec2.NewFromConfig(cfg, func(o *ec2.Options) {
		if region != "" {
			o.Region = region
		}
	})
}

// connect loads credentials the way the AWS command line does. off is a reason
// for not asking: mode off, or auto where nothing at all is configured. Credentials
// that are configured and do not work are an error, and so are missing ones with
// mode on.
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
		return cfg, "", fmt.Errorf("AWS credentials of %s do not work: %w; --aws off asks nothing", source, err)
	case o.Mode == On:
		return cfg, "", fmt.Errorf("AWS credentials: %w", err)
	}
	return cfg, "no AWS credentials are configured; set AWS_PROFILE, or give --profile", nil
}

// errNoRegion is what credentials are of no use for.
var errNoRegion = errors.New("the region is not known: no node has a ProviderID of AWS that tells one, and none is configured (--region)")

func load(ctx context.Context, o Options, region string) (awssdk.Config, error) {
	cfg, err := o.configure(ctx, region)
	if err != nil {
		return cfg, err
	}
	if o.AssumeRole != "" {
		cfg.Credentials = awssdk.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), o.AssumeRole, o.session))
	}
	if cfg.Credentials == nil {
		return cfg, errNobody
	}
	if err := retrieve(ctx, cfg.Credentials); err != nil {
		return cfg, err
	}
	if cfg.Region == "" {
		return cfg, errNoRegion
	}
	return cfg, nil
}

// DefaultSessionName is the role session's name where none is given.
const DefaultSessionName = "awsmigrate"

// session names the role's session and adds the external id, as AssumeRole takes
// them (AWS STS API reference, 2011-06-15).
func (o Options) session(role *stscreds.AssumeRoleOptions) {
	role.RoleSessionName = cmp.Or(o.SessionName, DefaultSessionName)
	if o.ExternalID != "" {
		role.ExternalID = &o.ExternalID
	}
}

// retryer is the SDK's adaptive mode with an end to it.
func retryer(attempts int, backoff time.Duration) awssdk.Retryer {
	return retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
		o.StandardOptions = append(o.StandardOptions, func(s *retry.StandardOptions) {
			s.MaxAttempts, s.MaxBackoff = attempts, backoff
		})
	})
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

func orDefault(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}
