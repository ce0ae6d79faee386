package rke

import (
	"context"
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ManagedEdges reach the two API servers of a cluster that Rancher manages.
type ManagedEdges struct {
	Management       dynamic.Interface    // where Rancher's objects live
	Kube             kubernetes.Interface // the cluster to migrate
	DownstreamConfig *rest.Config         // the same
	Clock            clock.WithTicker
}

// Managed is the migration of an RKE cluster that Rancher manages: its edits are
// patches of Rancher's Cluster object, and Rancher runs rke. Everything that is
// told by rke's state, leases and Nodes is the Procedure's, which it embeds.
type Managed struct {
	*Procedure
	edges ManagedEdges
	id    string // of Rancher's Cluster object
}

// managedObserved is one reading of Rancher's side of such a cluster. Rancher takes
// no snapshot, and runs rke itself.
type managedObserved struct {
	observed
	cluster ManagedCluster
}

// clusterOf is Rancher's Cluster as an observation holds it.
func clusterOf(seen migration.Snapshot) ManagedCluster {
	o, _ := seen.Config.(managedObserved) // Look makes no other
	return o.cluster
}

// NewManaged reads Rancher's side and the cluster once, and proves that the one
// belongs to the other. id is the name of Rancher's Cluster object.
func NewManaged(ctx context.Context, edges ManagedEdges, id string, options Options) (*Managed, error) {
	m := &Managed{edges: edges, id: id}
	m.Procedure = &Procedure{options: options, edges: Edges{Kube: edges.Kube, Config: edges.DownstreamConfig, Clock: edges.Clock}, applied: "Rancher has applied it everywhere"}
	m.tryEdits = tryManagedEdits
	m.Core = &migration.Core{Kube: edges.Kube, Config: edges.DownstreamConfig, Options: options.Options, Clock: edges.Clock, Side: m, Distribution: wellknown.RKE}
	m.Begin()
	config, err := m.look(ctx, journal.Record{})
	if err != nil {
		return nil, err
	}
	if err := config.prove(); err != nil {
		return nil, err
	}
	uid, err := m.ClusterUID(ctx)
	if err != nil {
		return nil, err
	}
	m.target = journal.Target{Kind: "rke", Name: id, Namespace: id, UID: uid}
	if _, err := m.Observe(ctx, journal.Record{}); err != nil {
		return nil, err
	}
	m.steps = m.Core.Steps()
	return m, nil
}

// prove says whether the cluster's own state names Rancher's machines.
func (o managedObserved) prove() error {
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

// Header describes cluster and position for people.
func (m *Managed) Header(seen migration.Snapshot) []string {
	c := clusterOf(seen)
	lines := []string{
		fmt.Sprintf("%s   %s · RKE %s managed by Rancher · %s", c.DisplayName, c.ID,
			seen.Reading.Version, seen.Reading.CountMembers()),
		fmt.Sprintf("now    %s   %s", seen.Result.Position, seen.Result.Summary),
	}
	if m.names != nil {
		lines = append(lines, fmt.Sprintf("names  useInstanceMetadataHostname: %t (%s)", m.names.UseMetadata, m.names.Why))
	}
	return lines
}

// Brake implements runner.Procedure. There is none to pull: rke runs within
// Rancher, nothing interrupts it, and an inverse edit would only be taken up once
// it has ended, and then bring an in-tree provider back on all control planes at
// once.
func (m *Managed) Brake(_ context.Context, _ *runner.Tx, seen migration.Snapshot, _ error) (string, error) {
	return "Rancher has no brake for an RKE cluster: it finishes what it has begun on " + clusterOf(seen).object() +
		"; awsmigrate writes nothing more", nil
}
