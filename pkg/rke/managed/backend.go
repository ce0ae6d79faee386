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

// Deps holds the clients of the two API servers of a cluster that Rancher manages.
type Deps struct {
	Management       dynamic.Interface    // reaches Rancher's objects
	Kube             kubernetes.Interface // reaches the cluster to migrate
	DownstreamConfig *rest.Config         // reaches the same cluster
	Clock            clock.WithTicker
}

// Backend configures an RKE cluster through Rancher's Cluster object. Rancher runs rke.
type Backend struct {
	*rke.Common
	deps Deps
	id   string // name of Rancher's Cluster object
}

// observed holds one reading of Rancher's objects about a cluster.
type observed struct {
	rkestate.Facts
	cluster Cluster
}

// clusterOf returns Rancher's Cluster from a snapshot.
func clusterOf(snap migration.Snapshot) Cluster {
	o, _ := snap.Config.(observed) // Read returns no other type
	return o.cluster
}

// New reads Rancher's objects and the cluster once. It returns an error if they do not belong
// together. id is the name of Rancher's Cluster object.
func New(ctx context.Context, deps Deps, id string, options rke.Options) (*procedure.Migration, error) {
	b := &Backend{deps: deps, id: id, Common: &rke.Common{Options: options, TryEdits: tryEdits,
		Access: migration.Access{Kube: deps.Kube, Config: deps.DownstreamConfig, Clock: deps.Clock, Options: options.Options, Distribution: wellknown.RKE}}}
	m := procedure.New(b.Access, b)
	config, err := b.read(ctx)
	if err != nil {
		return nil, err
	}
	if err := config.proveTarget(); err != nil {
		return nil, err
	}
	if _, err := m.Open(ctx, journal.Target{Kind: "rke", Name: id, Namespace: id}, config); err != nil {
		return nil, err
	}
	return m, nil
}

// proveTarget returns an error unless rke's state in the cluster contains a machine of Rancher.
func (o observed) proveTarget() error {
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
func (b *Backend) Header(snap migration.Snapshot) []string {
	c := clusterOf(snap)
	return b.HeaderOf(snap, fmt.Sprintf("%s   %s · RKE %s managed by Rancher · %s", c.DisplayName, c.ID,
		snap.Reading.Version, snap.Reading.CountMembers()))
}

// TakeSnapshot implements migration.Backend. It returns an error: Rancher takes the snapshots
// of such a cluster.
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

// PauseRollout implements migration.Backend.
// It cannot pause the rollout: rke runs within Rancher and cannot be interrupted. Rancher would
// apply an inverse edit only after rke has ended, and then restore the in-tree provider on all
// control planes at once.
func (b *Backend) PauseRollout(_ context.Context, _ *runner.Tx, snap migration.Snapshot, _ func(context.Context) (migration.Snapshot, error)) (string, error) {
	return "Rancher cannot pause the rollout of an RKE cluster: it finishes the current one on " + clusterOf(snap).object() +
		"; awsmigrate writes nothing more", nil
}

// places returns the values that a migration edits, by location; see
// migration.CompareBeginning. During a migration no other owner has a reason to change them.
func (o observed) places() map[string]migration.Place {
	places := map[string]migration.Place{}
	for _, path := range [][]string{{"cloudProvider"}, flagPath()} {
		value, found := mapAt(o.cluster.Config, path[:len(path)-1])[path[len(path)-1]]
		places["spec."+rkeConfigKey+"."+strings.Join(path, ".")] = migration.Place{Digest: runner.Digest(fmt.Sprintf("%t %v", found, value)), Traces: true}
	}
	return places
}
