package rke

import (
	"context"
	"fmt"
	"io"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Edges are what a procedure reaches the world through.
type Edges struct {
	Kube   kubernetes.Interface // the cluster to migrate
	Config *rest.Config
	Clock  clock.WithTicker
	// Live gets every line that rke prints.
	Live io.Writer
	// Keep is inherited by every rke; nil while no lock is held.
	Keep func() *os.File
	// Disk holds cluster.yml and what lies beside it; nil: the real one.
	Disk clusterfile.FS
	// Tool is the rke binary; nil: the one that the options name.
	Tool rkecli.Tool
}

// Procedure is the migration of one RKE cluster by its cluster.yml. It
// implements runner.Procedure, and is the Side of its own Core.
type Procedure struct {
	*migration.Core
	edges   Edges
	options Options
	target  journal.Target
	steps   []migration.Step
	once    once
	child   *child       // the rke that this run started last; nil: none
	names   *naming.Rule // as the checks of this run decided
	// applied says in evidence that whoever applies edits has done it.
	applied string
	// tryEdits computes the edits to come without writing them.
	tryEdits func(migration.Snapshot, naming.Rule) error
}

// once is what a run looks at once, since it does not change meanwhile.
type once struct {
	binary  verify.Read[rkecli.Binary]
	volumes verify.Read[[]rkestate.PinnedVolume]
}

// New reads file, state and cluster once, and proves that the cluster is the one
// that the file describes.
func New(ctx context.Context, edges Edges, options Options) (*Procedure, error) {
	p := &Procedure{edges: edges, options: options, applied: "rke ended well"}
	p.tryEdits = tryFileEdits
	p.Core = &migration.Core{Kube: edges.Kube, Config: edges.Config, Options: options.Options,
		Clock: edges.Clock, Side: p, Distribution: wellknown.RKE}
	p.Begin()
	config, err := p.look(ctx, journal.Record{})
	if err != nil {
		return nil, err
	}
	if err := proveTarget(config.Facts); err != nil {
		return nil, err
	}
	uid, err := p.ClusterUID(ctx)
	if err != nil {
		return nil, err
	}
	p.target = journal.Target{Kind: "rke", Name: clusterName(config.Facts), Namespace: wellknown.System, UID: uid}
	if _, err := p.Observe(ctx, journal.Record{}); err != nil {
		return nil, err
	}
	p.steps = p.Core.Steps()
	return p, nil
}

// Target implements runner.Procedure.
func (p *Procedure) Target() journal.Target { return p.target }

// Undo is the procedure that takes this migration back.
func (p *Procedure) Undo() *migration.Undo { return migration.NewUndo(p, p.Core) }

// Steps implements runner.Procedure.
func (p *Procedure) Steps() []migration.Step { return p.steps }

// clusterName is the name that rke gives the cluster
// (rancher/rke:cluster/defaults.go@v1.5.9, DefaultClusterName).
func clusterName(f rkestate.Facts) string {
	return migration.OrElse(f.Config.ClusterName, "local")
}

// proveTarget says whether the cluster's own state names the hosts of the file.
func proveTarget(f rkestate.Facts) error {
	known := map[string]bool{}
	for _, node := range f.State.Current.Config.Nodes {
		known[node.Address] = true
	}
	for _, node := range f.Config.Nodes {
		if known[node.Address] {
			return nil
		}
	}
	return &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: "file " + f.Path,
		Seen:   fmt.Sprintf("none of its %d nodes is in %s", len(f.Config.Nodes), f.State.Source),
		Wanted: "the kubeconfig of this very cluster", Fix: "check --config and --kubeconfig"}
}

// Header describes cluster and position for people.
func (p *Procedure) Header(seen migration.Snapshot) []string {
	f := factsOf(seen)
	binary := "rke not found"
	if f.Binary.OK() {
		binary = "rke " + f.Binary.Value.Version
	}
	lines := []string{
		fmt.Sprintf("%s   %s · RKE %s · %s · %s", clusterName(f), f.Path,
			seen.Reading.Version, seen.Reading.CountMembers(), binary),
		fmt.Sprintf("now    %s   %s", seen.Result.Position, seen.Result.Summary),
	}
	if p.names != nil {
		lines = append(lines, fmt.Sprintf("names  useInstanceMetadataHostname: %t (%s)", p.names.UseMetadata, p.names.Why))
	}
	return lines
}

// Paused implements what `status` asks: nobody rolls an RKE cluster but us.
func (p *Procedure) Paused(migration.Snapshot) string { return "" }
