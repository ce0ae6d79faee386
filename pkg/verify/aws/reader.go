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

// Reader asks AWS about Nodes while they are still being listed:
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

	actions []string // read once the Nodes are known, by Facts alone
	also    []downstream.Node

	mu      sync.Mutex
	group   sync.WaitGroup
	config  func() (cfg awssdk.Config, off string, err error)
	regions map[string]*region
}

// Start prepares to ask. Facts must follow, also when the Nodes could not be read.
func Start(ctx context.Context, o Options) *Reader {
	a := &Reader{o: o, actions: o.Actions, words: newWords(), regions: map[string]*region{}}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// Simulate says which actions IAM is asked about, instead of Options.Actions. It is
// called before Facts.
func (a *Reader) Simulate(actions []string) { a.actions = actions }

// Also asks about instances that are of no Node any more, by their ProviderIDs, in the
// regions of those that are. It is called before Facts.
func (a *Reader) Also(providerIDs []string) {
	for _, id := range providerIDs {
		a.also = append(a.also, downstream.Node{ProviderID: id})
	}
}

// patient bounds one stage of the asking; that the Nodes are slow to come is not
// AWS's fault.
func (a *Reader) patient() (context.Context, context.CancelFunc) {
	patience := orDefault(a.o.Patience, DefaultPatience)
	return context.WithTimeoutCause(a.ctx, patience, fmt.Errorf("AWS had %s to answer", patience))
}

// aside bounds the asking of IAM and STS within a stage.
func (a *Reader) aside(ctx context.Context) (context.Context, context.CancelFunc) {
	patience := orDefault(a.o.SidePatience, DefaultSidePatience)
	return context.WithTimeoutCause(ctx, patience, fmt.Errorf("it had %s to answer", patience))
}

// Read asks about Nodes that are all known. It always returns; what could not be
// read says so in its place.
func Read(ctx context.Context, nodes []downstream.Node, o Options) cloud.Facts {
	return Start(ctx, o).Facts(nodes)
}

// Add takes a page of Nodes and returns at once. The first one of a region sets
// off the asking there. The same Node may come again.
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

// begin sets off the asking in a region, once.
func (a *Reader) begin(name string, ids []string) {
	if a.regions[name] != nil || a.leftOut(name) {
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
		ctx, cancel := a.patient()
		defer cancel()
		r.start(ctx, ids)
	})
}

// connect looks for credentials once, in the region that is met first.
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

// byRegion are the instance ids of Nodes by the region of their zone; "" of those
// whose ProviderID tells none.
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

func (a *Reader) leftOut(region string) bool { return a.o.Region != "" && region != a.o.Region }

// Facts waits for the answers, asks for what is still open about these Nodes, and
// gives what there is. It is called once.
func (a *Reader) Facts(nodes []downstream.Node) cloud.Facts {
	defer a.cancel()
	if a.o.Mode == Off {
		return cloud.Facts{Off: "--aws=off", Region: a.o.Region}
	}
	a.Add(nodes)
	ids := a.byRegion(nodes)
	a.settle(ids)
	cfg, off, err := a.config()
	names := strings.Join(slices.Sorted(maps.Keys(ids)), ", ")
	switch {
	case err != nil:
		a.group.Wait()
		return failed(names, err)
	case off != "":
		a.group.Wait()
		return cloud.Facts{Off: off, Region: names}
	}
	f := cloud.Facts{On: true, Region: names}
	ctx, cancel := a.patient()
	defer cancel()
	a.group.Go(func() {
		ctx, cancel := a.aside(ctx)
		defer cancel()
		f.Identity = identity(ctx, sts.NewFromConfig(cfg))
	})
	also := a.byRegion(a.also)
	for name, r := range a.regions {
		a.group.Go(func() {
			<-r.started
			r.finish(ctx, union(ids[name], also[name]))
		})
	}
	a.group.Wait()
	a.elsewhere(ctx, ids)
	a.instances(ctx, &f, nodes, ids, also)
	a.related(ctx, &f, cfg, nodes)
	return f
}

// union is each of the ids once.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// settle gives the ids that tell no region to one: to every region that is asked, as
// a CCM asks for all its Nodes in the control plane's, or else to the configured one.
func (a *Reader) settle(ids map[string][]string) {
	untold := ids[""]
	delete(ids, "")
	if len(untold) == 0 {
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
		a.begin(name, untold)
	}
	for name := range a.regions {
		ids[name] = append(ids[name], untold...)
	}
}

// elsewhere asks the other regions for what is in none so far: a zone that somebody
// wrote by hand may lie about its region, and a CCM does not read it.
func (a *Reader) elsewhere(ctx context.Context, ids map[string][]string) {
	var group sync.WaitGroup
	for name, r := range a.regions {
		var wanted []string
		for other, of := range ids {
			if other != name {
				wanted = append(wanted, a.unseen(of)...)
			}
		}
		if r.err == nil && len(wanted) > 0 {
			group.Go(func() { r.err = r.byID(ctx, wanted) })
		}
	}
	group.Wait()
}

// unseen are those of ids that no region has.
func (a *Reader) unseen(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, seen := a.seen(id)
		return seen
	})
}

// seen is an instance of whatever region.
func (a *Reader) seen(id string) (cloud.Instance, bool) {
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

// failed says of every part that it could not be had.
func failed(regions string, err error) cloud.Facts {
	none := verify.Failed[map[string]cloud.Tags](err)
	return cloud.Facts{
		On: true, Region: regions, Identity: verify.Failed[cloud.Identity](err), Instances: verify.Failed[map[string]cloud.Instance](err),
		Unclaimed: verify.Failed[[]cloud.Instance](err), SecurityGroups: none, Subnets: none, RouteTables: none,
		Roles: verify.Failed[[]cloud.RoleRights](err),
	}
}

// instances joins what the regions gave.
func (a *Reader) instances(ctx context.Context, f *cloud.Facts, nodes []downstream.Node, ids, also map[string][]string) {
	all, missed := map[string]cloud.Instance{}, map[string]string{}
	var errs []error
	answered := 0
	known := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		open := false
		for _, id := range ids[name] {
			known[id] = true
			i, seen := a.seen(id)
			if seen {
				all[id] = i
			}
			open = open || !seen
		}
		r := a.regions[name]
		switch {
		case r == nil && open:
			missed[name] = fmt.Sprintf("region %s was not asked: --region is %s", name, a.o.Region)
		case r == nil || r.err != nil && !open:
			// Everything that was to be there is somewhere else.
		case r.err != nil:
			missed[name] = r.err.Error()
			errs = append(errs, r.err)
		default:
			answered++
		}
	}
	for _, id := range slices.Concat(slices.Collect(maps.Values(also))...) {
		if i, seen := a.seen(id); seen {
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

// clusterOf is the cluster that the Nodes' instances belong to.
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

// unclaimed asks again where the few instances that were looked at first had not
// the cluster's tag.
func (a *Reader) unclaimed(ctx context.Context, cluster string, known map[string]bool, missed map[string]string) verify.Read[[]cloud.Instance] {
	if cluster == "" {
		return verify.Read[[]cloud.Instance]{}
	}
	var out []cloud.Instance
	for _, name := range slices.Sorted(maps.Keys(a.regions)) {
		r := a.regions[name]
		if r.err != nil && missed[name] == "" {
			continue // none of the Nodes is there
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
