package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/elb"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// balancersTimeout limits the reading of load balancers: 1,200 calls for 200 network load
// balancers with two ports, at the rate of package elb, take 7 minutes. Four such readings of an
// account at once share that rate.
const balancersTimeout = 30 * time.Minute

// balancersQuery holds the arguments of LoadBalancers.
type balancersQuery struct {
	names  map[string]bool
	detail bool
}

// LoadBalancers also reads the load balancers of these Services. With detail it reads the
// aspects that need a request for each load balancer. Call it before Facts.
func (a *Reader) LoadBalancers(services []downstream.Service, detail bool) {
	q := balancersQuery{names: map[string]bool{}, detail: detail}
	for _, s := range services {
		q.names[cloud.BalancerName(s.UID)] = true
	}
	a.balancers = &q
}

// readBalancers reads the load balancers in the region of the control plane: a cloud provider
// works in its own instance's region.
func (a *Reader) readBalancers(f *cloud.Facts, cfg awssdk.Config, nodes []downstream.Node) {
	if a.balancers == nil {
		return
	}
	region, found := a.planesRegion(f, nodes)
	if !found {
		return // not a cluster on AWS
	}
	groups := set{}
	for _, i := range f.Instances.Value {
		for _, g := range i.SecurityGroups {
			groups[g] = true
		}
	}
	if region == "" {
		f.Balancers = verify.Failed[[]cloud.Balancer](errors.New("the region of the control plane is not known, or it has several"))
		return
	}
	cfg = cfg.Copy()
	cfg.Region = region
	ctx, cancel := context.WithTimeoutCause(a.ctx, balancersTimeout, fmt.Errorf("no complete answer from AWS within %s", balancersTimeout))
	defer cancel()
	f.Balancers = elb.Read(ctx, cfg, a.o.Identity.Pace, elb.Query{Names: a.balancers.names, Detail: a.balancers.detail, NodeGroups: groups.sorted()})
}

// planesRegion returns the region of the control plane, or of all nodes if no control plane has an
// instance. It returns "" for several regions. found reports whether a Node has the ProviderID of
// an instance.
func (a *Reader) planesRegion(f *cloud.Facts, nodes []downstream.Node) (region string, found bool) {
	planes, all := set{}, set{}
	for _, n := range nodes {
		zone, id, ok := downstream.ParseProviderID(n.ProviderID)
		if !ok {
			continue
		}
		name := cloud.RegionOf(zone)
		if i, has := f.Instances.Value[id]; has && i.Region != "" {
			name = i.Region
		}
		all[name] = true
		if n.ControlPlane() {
			planes[name] = true
		}
	}
	for _, names := range []set{planes, all} {
		if len(names) == 1 && region == "" {
			region = slices.Collect(maps.Keys(names))[0]
		}
	}
	return cmp.Or(a.o.Region, region), len(all) > 0
}
