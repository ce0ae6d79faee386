package aws

import (
	"context"
	"errors"
	"fmt"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/elb"
)

// Identity selects the credentials and the endpoint. The zero value has no credentials and searches
// for none, so that a run uses only what it is given.
type Identity struct {
	// Keys are explicit credentials, for instance from a Secret. With them, nothing is read from
	// this process, which may have another identity.
	Keys Keys
	// Process looks up an environment variable. If it is set, the SDK uses the process's own
	// identity: its environment, the shared files, and its pod or machine.
	Process func(variable string) string
	// Endpoint replaces the endpoints of all AWS services, unless it is empty.
	Endpoint string
	// Pace limits the requests to Elastic Load Balancing. One process has one, for all its identities:
	// AWS counts by account. With nil each reading has its own.
	Pace *elb.Pace
}

// With returns the identity of these keys in the same process: nothing else of i identifies it.
func (i Identity) With(keys Keys) Identity {
	i.Keys, i.Process = keys, nil
	return i
}

// Keys holds an access key of IAM or, with a token, of an STS session.
type Keys struct{ ID, Secret, Token string }

// String implements fmt.Stringer. It returns the key's ID, which is not secret.
func (k Keys) String() string { return "access key " + k.ID }

// GoString implements fmt.GoStringer.
func (k Keys) GoString() string { return k.String() }

// errNoCredentials is the error of an Identity without credentials.
var errNoCredentials = errors.New("no AWS credentials are configured")

// configure returns the configuration for the identity. It does not check the credentials.
func (o Options) configure(ctx context.Context, region string) (awssdk.Config, error) {
	client := awshttp.NewBuildableClient().WithTimeout(orDefault(o.Timeout, DefaultTimeout))
	retryer := func() awssdk.Retryer { return retryer(maxAttempts, maxBackoff) }
	apiOptions := []func(*middleware.Stack) error{addAnswerCheck}
	switch {
	case o.Identity.Keys.ID != "" && o.Profile != "":
		return awssdk.Config{}, fmt.Errorf("profile %q: cannot be combined with explicit credentials", o.Profile)
	case o.Identity.Keys.ID != "":
		keys := o.Identity.Keys
		cfg := awssdk.Config{Region: region, HTTPClient: client, Retryer: retryer, Logger: logging.Nop{}, APIOptions: apiOptions,
			Credentials: credentials.NewStaticCredentialsProvider(keys.ID, keys.Secret, keys.Token)}
		if o.Identity.Endpoint != "" {
			cfg.BaseEndpoint = awssdk.String(o.Identity.Endpoint)
		}
		return cfg, nil
	case o.Identity.Process == nil:
		return awssdk.Config{}, errNoCredentials
	}
	options := []func(*config.LoadOptions) error{
		config.WithRetryer(retryer),
		config.WithLogger(logging.Nop{}), // errors are returned
		config.WithAPIOptions(apiOptions),
		config.WithHTTPClient(client),
	}
	if region != "" {
		options = append(options, config.WithRegion(region))
	}
	if o.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(o.Profile))
	}
	if o.Identity.Endpoint != "" {
		options = append(options, config.WithBaseEndpoint(o.Identity.Endpoint))
	}
	return config.LoadDefaultConfig(ctx, options...)
}
