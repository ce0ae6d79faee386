package elb

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	"golang.org/x/time/rate"
)

// callsPerSecond and burst limit the requests to each API. AWS allows an account in a region, for
// all Describe actions of one API, 40 at once (Elastic Load Balancing user guide, "Request
// throttling for the Elastic Load Balancing API") and then 10 a second
// (aws-load-balancer-controller:pkg/aws/throttle/defaults.go). The CCMs of the account's clusters
// share that: see BenchmarkReconcile_besideReading.
const callsPerSecond, burst = 3, 20

// Pace limits the requests of all readings that share it. The zero value is ready to use. With a nil
// Pace every reading has limits of its own.
type Pace struct {
	mu     sync.Mutex
	places map[place]limits
}

// place is what AWS counts the requests of.
type place struct{ account, region string }

// limits holds the limits of a place, one for each API.
type limits struct{ classic, v2 *rate.Limiter }

func newLimits() limits {
	return limits{classic: rate.NewLimiter(callsPerSecond, burst), v2: rate.NewLimiter(callsPerSecond, burst)}
}

// of returns the limits for requests with this configuration. Credentials that do not contain their
// account count as an account of their own. It returns an error without valid credentials.
func (p *Pace) of(ctx context.Context, cfg awssdk.Config) (limits, error) {
	if p == nil {
		return newLimits(), nil
	}
	keys, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return limits{}, failed(ctx, "load balancers", err)
	}
	at := place{account: cmp.Or(keys.AccountID, keys.AccessKeyID), region: cfg.Region}
	p.mu.Lock()
	defer p.mu.Unlock()
	found, has := p.places[at]
	if !has {
		if p.places == nil {
			p.places = map[place]limits{}
		}
		found = newLimits()
		p.places[at] = found
	}
	return found, nil
}

// limit delays every request, also a repeated one, until the limiter allows it.
func limit(limiter *rate.Limiter) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("awsmigrateLimit",
			func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
				if err := limiter.Wait(ctx); err != nil {
					return middleware.FinalizeOutput{}, middleware.Metadata{}, fmt.Errorf("waiting to ask AWS: %w", err)
				}
				return next.HandleFinalize(ctx, in)
			}), middleware.After)
	}
}
