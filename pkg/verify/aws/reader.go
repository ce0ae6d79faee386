package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Reader reads instances while the Nodes are still being listed:
//
//	instances := aws.Start(ctx, options)
//	reader.OnNodes = instances.Add
//	facts := kube.Read(ctx, reader)
//	cloud := instances.Facts(facts.Nodes.Value)
type Reader struct {
	o      Options
	ctx    context.Context // spans Start to Facts
	cancel context.CancelFunc
	words  *words

	actions    []string // used once the Nodes are known, only by Facts
	additional []downstream.Node
	balancers  *balancersQuery // nil if load balancers are not read

	mu      sync.Mutex
	group   sync.WaitGroup
	config  func() (cfg awssdk.Config, off string, err error)
	regions map[string]*region
}

// Start prepares the Reader. Facts must follow, even if the Nodes could not be read.
func Start(ctx context.Context, o Options) *Reader {
	a := &Reader{o: o, actions: o.Actions, words: newWords(), regions: map[string]*region{}}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// Simulate replaces Options.Actions. Call it before Facts.
func (a *Reader) Simulate(actions []string) { a.actions = actions }

// Also adds instances without a Node by their ProviderIDs. They are read in the regions of the
// Nodes. Call it before Facts.
func (a *Reader) Also(providerIDs []string) {
	for _, id := range providerIDs {
		a.additional = append(a.additional, downstream.Node{ProviderID: id})
	}
}

// limitStage limits one stage of reading. The time for listing Nodes does not count.
func (a *Reader) limitStage() (context.Context, context.CancelFunc) {
	timeout := orDefault(a.o.TotalTimeout, DefaultTotalTimeout)
	return context.WithTimeoutCause(a.ctx, timeout, fmt.Errorf("no answer from AWS within %s", timeout))
}

// limitSide limits the requests to IAM and STS within a stage.
func (a *Reader) limitSide(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := orDefault(a.o.SideTimeout, DefaultSideTimeout)
	return context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %s", timeout))
}

// Read reads the instances of a complete list of Nodes. It always returns Facts; a part that could
// not be read holds its error.
func Read(ctx context.Context, nodes []downstream.Node, o Options) cloud.Facts {
	return Start(ctx, o).Facts(nodes)
}

// Add receives a page of Nodes and returns at once. The first Node of a region starts the reading
// there. A Node may be added again.
func (a *Reader) Add(nodes []downstream.Node) {
	if a.o.Mode == Off {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	byRegion := a.byRegion(nodes)
	for _, name := range slices.Sorted(maps.Keys(byRegion)) {
		if name != "" {
			a.begin(name, byRegion[name])
		}
	}
}

// begin starts the reading in a region, once.
func (a *Reader) begin(name string, ids []string) {
	if a.regions[name] != nil || a.isExcluded(name) {
		return
	}
	a.connect(name)
	r := newRegion(name, a.words)
	a.regions[name] = r
	a.group.Go(func() {
		cfg, off, err := a.config()
		if err != nil || off != "" {
			close(r.started)
			return
		}
		r.describe = ec2Client(cfg, name).DescribeInstances
		ctx, cancel := a.limitStage()
		defer cancel()
		r.start(ctx, ids)
	})
}

// connect loads credentials once, in the first region.
func (a *Reader) connect(region string) {
	if a.config != nil {
		return
	}
	if a.o.Region != "" {
		region = a.o.Region
	}
	type result struct {
		cfg awssdk.Config
		off string
		err error
	}
	once := sync.OnceValue(func() result {
		cfg, off, err := connect(a.ctx, a.o, region)
		return result{cfg, off, err}
	})
	a.config = func() (awssdk.Config, string, error) { r := once(); return r.cfg, r.off, r.err }
}

// byRegion returns the instance IDs of Nodes by the region of their zone, or under "" if the
// ProviderID contains no region.
func (a *Reader) byRegion(nodes []downstream.Node) map[string][]string {
	out := map[string][]string{}
	for _, n := range nodes {
		if zone, id, ok := downstream.ParseProviderID(n.ProviderID); ok {
			name := cloud.RegionOf(zone)
			if name == "" {
				name = a.o.Region
			}
			out[name] = append(out[name], id)
		}
	}
	return out
}

func (a *Reader) isExcluded(region string) bool { return a.o.Region != "" && region != a.o.Region }

// Facts waits for the answers, reads the missing instances of these Nodes, and returns all facts.
// Call it once.
func (a *Reader) Facts(nodes []downstream.Node) cloud.Facts {
	defer a.cancel()
	if a.o.Mode == Off {
		return cloud.Facts{Off: "--aws=off", Region: a.o.Region}
	}
	a.Add(nodes)
	ids := a.byRegion(nodes)
	a.assignRegion(ids)
	cfg, off, err := a.config()
	names := strings.Join(slices.Sorted(maps.Keys(ids)), ", ")
	switch {
	case err != nil:
		a.group.Wait()
		return failedFacts(names, err)
	case off != "":
		a.group.Wait()
		return cloud.Facts{Off: off, Region: names}
	}
	f := cloud.Facts{On: true, Region: names}
	ctx, cancel := a.limitStage()
	defer cancel()
	a.group.Go(func() {
		ctx, cancel := a.limitSide(ctx)
		defer cancel()
		f.Identity = readIdentity(ctx, sts.NewFromConfig(cfg))
	})
	additional := a.byRegion(a.additional)
	for name, r := range a.regions {
		a.group.Go(func() {
			<-r.started
			r.finish(ctx, union(ids[name], additional[name]))
		})
	}
	a.group.Wait()
	a.searchOtherRegions(ctx, ids)
	a.instances(ctx, &f, nodes, ids, additional)
	a.group.Go(func() { a.readBalancers(&f, cfg, nodes) })
	a.related(ctx, &f, cfg, nodes)
	a.group.Wait()
	return f
}

// union returns each of the IDs once.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// assignRegion assigns the IDs without a region to every region of the other IDs: a CCM looks for all
// its Nodes in the control plane's region. Without such a region it uses the configured one.
func (a *Reader) assignRegion(ids map[string][]string) {
	unassigned := ids[""]
	delete(ids, "")
	if len(unassigned) == 0 {
		a.connect("")
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.regions) == 0 {
		a.connect("")
		name := a.o.Region
		if cfg, _, err := a.config(); err == nil && name == "" {
			name = cfg.Region
		}
		a.begin(name, unassigned)
	}
	for name := range a.regions {
		ids[name] = append(ids[name], unassigned...)
	}
}

// searchOtherRegions looks for instances that were not found in the region of their zone. A
// handwritten zone may be wrong, and a CCM does not read it.
func (a *Reader) searchOtherRegions(ctx context.Context, ids map[string][]string) {
	var group sync.WaitGroup
	for name, r := range a.regions {
		var wanted []string
		for other, others := range ids {
			if other != name {
				wanted = append(wanted, a.notFound(others)...)
			}
		}
		if r.err == nil && len(wanted) > 0 {
			group.Go(func() { r.err = r.byID(ctx, wanted) })
		}
	}
	group.Wait()
}

// notFound returns the IDs that were found in no region.
func (a *Reader) notFound(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, found := a.find(id)
		return found
	})
}

// find returns an instance from any region.
func (a *Reader) find(id string) (cloud.Instance, bool) {
	for _, name := range slices.Sorted(maps.Keys(a.regions)) {
		r := a.regions[name]
		r.mu.Lock()
		i, has := r.found[id]
		r.mu.Unlock()
		if has {
			return i, true
		}
	}
	return cloud.Instance{}, false
}

// failedFacts returns Facts in which every part holds the error.
func failedFacts(regions string, err error) cloud.Facts {
	none := verify.Failed[map[string]cloud.Tags](err)
	return cloud.Facts{
		On: true, Region: regions, Identity: verify.Failed[cloud.Identity](err), Instances: verify.Failed[map[string]cloud.Instance](err),
		Unclaimed: verify.Failed[[]cloud.Instance](err), SecurityGroups: none, Subnets: none, RouteTables: none,
		Roles: verify.Failed[[]cloud.RoleRights](err), Balancers: verify.Failed[[]cloud.Balancer](err),
	}
}

// instances merges the instances of the regions.
func (a *Reader) instances(ctx context.Context, f *cloud.Facts, nodes []downstream.Node, ids, additional map[string][]string) {
	all, missed := map[string]cloud.Instance{}, map[string]string{}
	var errs []error
	answered := 0
	known := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		incomplete := false
		for _, id := range ids[name] {
			known[id] = true
			i, found := a.find(id)
			if found {
				all[id] = i
			}
			incomplete = incomplete || !found
		}
		r := a.regions[name]
		switch {
		case r == nil && incomplete:
			missed[name] = fmt.Sprintf("region %s was not asked: --region is %s", name, a.o.Region)
		case r == nil || r.err != nil && !incomplete:
			// All instances of this region were found elsewhere.
		case r.err != nil:
			missed[name] = r.err.Error()
			errs = append(errs, r.err)
		default:
			answered++
		}
	}
	for _, id := range slices.Concat(slices.Collect(maps.Values(additional))...) {
		if i, found := a.find(id); found {
			all[id] = i
		}
	}
	if len(missed) > 0 {
		f.Missed = missed
	}
	if len(errs) > 0 && answered == 0 && len(all) == 0 {
		f.Instances = verify.Failed[map[string]cloud.Instance](errors.Join(errs...))
	} else {
		f.Instances = verify.Got(all)
	}
	f.Unclaimed = a.unclaimed(ctx, clusterOf(nodes, all), known, missed)
}

// clusterOf returns the cluster that the Nodes' instances belong to, or "".
func clusterOf(nodes []downstream.Node, found map[string]cloud.Instance) string {
	var planes, all []cloud.Tags
	for _, n := range nodes {
		_, id, _ := downstream.ParseProviderID(n.ProviderID)
		i, ok := found[id]
		if !ok || !i.Alive() {
			continue
		}
		all = append(all, i.Tags)
		if n.ControlPlane() {
			planes = append(planes, i.Tags)
		}
	}
	return cloud.ClusterOf(planes, all)
}

// unclaimed returns the cluster's instances without a Node. It reads them by tag if the first
// instances of a region had another cluster's tag.
func (a *Reader) unclaimed(ctx context.Context, cluster string, known map[string]bool, missed map[string]string) verify.Read[[]cloud.Instance] {
	if cluster == "" {
		return verify.Read[[]cloud.Instance]{}
	}
	var out []cloud.Instance
	for _, name := range slices.Sorted(maps.Keys(a.regions)) {
		r := a.regions[name]
		if r.err != nil && missed[name] == "" {
			continue // no Node is in this region
		}
		if r.err == nil && r.tagged != cluster {
			r.byTag(ctx, cluster)
		}
		if err := errors.Join(r.err, r.tagErr); err != nil {
			return verify.Failed[[]cloud.Instance](err)
		}
		out = append(out, r.unclaimed(cluster, known)...)
	}
	return verify.Got(out)
}
