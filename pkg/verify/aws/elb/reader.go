// Package elb reads the load balancers of a cluster's Services from Elastic Load Balancing. It
// only describes, and judges nothing.
package elb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

const (
	// pageSize is the limit of both APIs (Elastic Load Balancing API references, 2012-06-01 and
	// 2015-12-01, DescribeLoadBalancers).
	pageSize = 400
	parallel = 4
)

// Query selects the load balancers.
type Query struct {
	// Names are those of the Services, see cloud.BalancerName. Other load balancers with such a name
	// are returned with their tags alone.
	Names map[string]bool
	// Detail also reads the aspects that need a request for each load balancer.
	Detail bool
	// NodeGroups are the security groups of the cluster's instances. Their rules are read with Detail.
	NodeGroups []string
}

// reader holds the clients of both APIs for one reading.
type reader struct {
	cfg    awssdk.Config
	query  Query
	limits limits
}

// Read returns the load balancers with a name that a cloud provider may have chosen, sorted. All
// pages are listed: one missing name would fail a request for several names, so that no answer
// says which is missing. A failed part of a load balancer holds its error.
func Read(ctx context.Context, cfg awssdk.Config, p *Pace, q Query) verify.Read[[]cloud.Balancer] {
	limits, err := p.of(ctx, cfg)
	if err != nil {
		return verify.Failed[[]cloud.Balancer](err)
	}
	r := reader{cfg: cfg, query: q, limits: limits}
	found, err := r.all(ctx)
	if err != nil {
		return verify.Failed[[]cloud.Balancer](err)
	}
	slices.SortFunc(found, func(a, b cloud.Balancer) int {
		return strings.Compare(a.Name+" "+a.Type, b.Name+" "+b.Type)
	})
	return verify.Got(found)
}

// all reads both APIs at the same time.
func (r *reader) all(ctx context.Context) ([]cloud.Balancer, error) {
	var old, networks []cloud.Balancer
	apis, readCtx := errgroup.WithContext(ctx)
	apis.Go(func() (err error) {
		old, err = r.readClassic(readCtx)
		return err
	})
	apis.Go(func() (err error) {
		networks, err = r.readV2(readCtx)
		return err
	})
	if err := apis.Wait(); err != nil {
		return nil, err
	}
	found := slices.Concat(old, networks)
	if r.query.Detail {
		return found, r.groupRules(ctx, found)
	}
	return found, nil
}

func (r *reader) readClassic(ctx context.Context) ([]cloud.Balancer, error) {
	found, err := r.listClassic(ctx)
	if err != nil {
		return nil, err
	}
	r.tagClassic(ctx, found)
	return found, r.classicParts(ctx, found)
}

func (r *reader) readV2(ctx context.Context) ([]cloud.Balancer, error) {
	found, err := r.listV2(ctx)
	if err != nil {
		return nil, err
	}
	r.tagV2(ctx, found)
	return found, r.networkParts(ctx, found)
}

// each calls read for the load balancers of Services, several at a time.
func (r *reader) each(ctx context.Context, all []cloud.Balancer, read func(context.Context, *cloud.Balancer) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range all {
		if r.query.Names[all[i].Name] {
			g.Go(func() error { return read(ctx, &all[i]) })
		}
	}
	return g.Wait()
}

func (r *reader) classicClient() *classic.Client {
	return classic.NewFromConfig(r.cfg, func(o *classic.Options) { o.APIOptions = append(slices.Clone(o.APIOptions), limit(r.limits.classic)) })
}

func (r *reader) v2Client() *v2.Client {
	return v2.NewFromConfig(r.cfg, func(o *v2.Options) { o.APIOptions = append(slices.Clone(o.APIOptions), limit(r.limits.v2)) })
}

// failed adds the object and the cause of a context's end to an error.
func failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	return fmt.Errorf("describing %s: %w", what, err)
}

func sorted(values []string) []string {
	out := slices.Clone(values)
	slices.Sort(out)
	return out
}
