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
)

// Identity is as whom AWS is asked, and where. The zero value has no credentials and
// looks for none, so that a run has only what it was given.
type Identity struct {
	// Keys came with the run, as from a Secret. With them nothing is taken from this
	// process, which may have an identity of its own.
	Keys Keys
	// Process looks up a variable of this process, where the process's own identity is
	// meant: what its environment, the shared files and its pod or machine give. The SDK
	// reads these by itself; nil: none of it is asked for.
	Process func(variable string) string
	// Endpoint answers instead of AWS for every service; "": AWS.
	Endpoint string
}

// Keys are an access key of IAM or, with a token, of a session of STS.
type Keys struct{ ID, Secret, Token string }

// String implements fmt.Stringer: what names the keys is no secret.
func (k Keys) String() string { return "access key " + k.ID }

// GoString implements fmt.GoStringer.
func (k Keys) GoString() string { return k.String() }

// errNobody is what an Identity without credentials comes to.
var errNobody = errors.New("no AWS credentials are configured")

// configure makes a configuration of the identity, whose credentials may still be wrong.
func (o Options) configure(ctx context.Context, region string) (awssdk.Config, error) {
	client := awshttp.NewBuildableClient().WithTimeout(orDefault(o.Timeout, DefaultTimeout))
	retryer := func() awssdk.Retryer { return retryer(attempts, maxBackoff) }
	apiOptions := []func(*middleware.Stack) error{answered}
	switch {
	case o.Identity.Keys.ID != "" && o.Profile != "":
		return awssdk.Config{}, fmt.Errorf("profile %q: not with credentials that were given", o.Profile)
	case o.Identity.Keys.ID != "":
		keys := o.Identity.Keys
		cfg := awssdk.Config{Region: region, HTTPClient: client, Retryer: retryer, Logger: logging.Nop{}, APIOptions: apiOptions,
			Credentials: credentials.NewStaticCredentialsProvider(keys.ID, keys.Secret, keys.Token)}
		if o.Identity.Endpoint != "" {
			cfg.BaseEndpoint = awssdk.String(o.Identity.Endpoint)
		}
		return cfg, nil
	case o.Identity.Process == nil:
		return awssdk.Config{}, errNobody
	}
	options := []func(*config.LoadOptions) error{
		config.WithRetryer(retryer),
		config.WithLogger(logging.Nop{}), // what matters comes back as an error
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
