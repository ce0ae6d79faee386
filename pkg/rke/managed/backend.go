package managed

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Deps reach the two API servers of a cluster that Rancher manages.
type Deps struct {
	Management       dynamic.Interface    // where Rancher's objects live
	Kube             kubernetes.Interface // the cluster to migrate
	DownstreamConfig *rest.Config         // the same
	Clock            clock.WithTicker
}

// Backend configures an RKE cluster by Rancher's Cluster object; Rancher runs rke.
type Backend struct {
	*rke.Common
	deps Deps
	id   string // of Rancher's Cluster object
}

// observed is one reading of Rancher's side of such a cluster. Rancher takes
// no snapshot, and runs rke itself.
type observed struct {
	rkestate.Facts
	cluster Cluster
}

// clusterOf is Rancher's Cluster as an observation holds it.
func clusterOf(seen migration.Snapshot) Cluster {
	o, _ := seen.Config.(observed) // Read makes no other
	return o.cluster
}

// New reads Rancher's side and the cluster once, and proves that the one
// belongs to the other. id is the name of Rancher's Cluster object.
func New(ctx context.Context, deps Deps, id string, options rke.Options) (*procedure.Migration, error) {
	b := &Backend{deps: deps, id: id, Common: &rke.Common{Options: options, TryEdits: tryEdits,
		Access: migration.Access{Kube: deps.Kube, Config: deps.DownstreamConfig, Clock: deps.Clock, Options: options.Options, Distribution: wellknown.RKE}}}
	m := procedure.New(b.Access, b)
	config, err := b.read(ctx)
	if err != nil {
		return nil, err
	}
	if err := config.prove(); err != nil {
		return nil, err
	}
	if _, err := m.Open(ctx, journal.Target{Kind: "rke", Name: id, Namespace: id}); err != nil {
		return nil, err
	}
	return m, nil
}

// prove says whether the cluster's own state names Rancher's machines.
func (o observed) prove() error {
	known := map[string]bool{}
	for _, node := range o.State.Current.Config.Nodes {
		known[node.Address] = true
	}
	for _, node := range o.cluster.Nodes {
		if known[node.Address] {
			return nil
		}
	}
	return &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: o.cluster.object(),
		Seen:   fmt.Sprintf("none of its %d machines is in %s of the cluster that was reached", len(o.cluster.Nodes), o.State.Source),
		Wanted: "the kubeconfig of this very cluster", Fix: "check --downstream-kubeconfig and --context"}
}

// Header implements migration.Backend.
func (b *Backend) Header(seen migration.Snapshot) []string {
	c := clusterOf(seen)
	return b.HeaderOf(seen, fmt.Sprintf("%s   %s · RKE %s managed by Rancher · %s", c.DisplayName, c.ID,
		seen.Reading.Version, seen.Reading.CountMembers()))
}

// TakeSnapshot implements migration.Backend: Rancher takes snapshots of such a cluster.
func (*Backend) TakeSnapshot(migration.Snapshot) (migration.Edit, error) {
	return migration.Edit{}, noSnapshot()
}

// JudgeSnapshot implements migration.Backend.
func (*Backend) JudgeSnapshot(context.Context, *runner.Tx, migration.Snapshot) (runner.Verdict, error) {
	return runner.Verdict{}, noSnapshot()
}

func noSnapshot() error {
	return migration.UsageError("flag --etcd-snapshot", "given", "none: awsmigrate takes no snapshot of this cluster")
}

// Brake implements migration.Backend. There is none to pull: rke runs within
// Rancher, nothing interrupts it, and an inverse edit would only be taken up once
// it has ended, and then bring an in-tree provider back on all control planes at
// once.
func (b *Backend) Brake(_ context.Context, _ *runner.Tx, seen migration.Snapshot, _ func(context.Context) (migration.Snapshot, error)) (string, error) {
	return "Rancher has no brake for an RKE cluster: it finishes what it has begun on " + clusterOf(seen).object() +
		"; awsmigrate writes nothing more", nil
}

// places returns the values that a migration edits, by location; see
// migration.CompareBeginning. During a migration no other owner has a reason to change them.
func (o observed) places() map[string]migration.Place {
	places := map[string]migration.Place{}
	for _, path := range [][]string{{"cloudProvider"}, flagPath()} {
		value, there := mapAt(o.cluster.Config, path[:len(path)-1])[path[len(path)-1]]
		places["spec."+rkeConfigKey+"."+strings.Join(path, ".")] = migration.Place{Digest: runner.Digest(fmt.Sprintf("%t %v", there, value)), Traces: true}
	}
	return places
}
