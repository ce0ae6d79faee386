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
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Deps are what a migration reaches the world through.
type Deps struct {
	Kube   kubernetes.Interface // the cluster to migrate
	Config *rest.Config
	Clock  clock.WithTicker
	// Live gets every line that rke prints.
	Live io.Writer
	// LockFile is inherited by every rke; nil while no lock is held.
	LockFile func() *os.File
	// Disk holds cluster.yml and what lies beside it; nil: the real one.
	Disk clusterfile.FS
	// Tool is the rke binary; nil: the one that the options name.
	Tool rkecli.Tool
}

// Backend configures an RKE cluster by its cluster.yml, and runs rke.
type Backend struct {
	*Common
	deps   Deps
	binary verify.Read[rkecli.Binary] // looked for once in a run
	child  *child                     // the rke that this run started last; nil: none
}

// New reads file, state and cluster once, and proves that the cluster is the one
// that the file describes.
func New(ctx context.Context, deps Deps, options Options) (*procedure.Migration, error) {
	b := &Backend{deps: deps, Common: &Common{Options: options, TryEdits: tryFileEdits,
		Access: migration.Access{Kube: deps.Kube, Config: deps.Config, Clock: deps.Clock, Options: options.Options, Distribution: wellknown.RKE}}}
	m := procedure.New(b.Access, b)
	config, err := b.read(ctx, journal.Record{})
	if err != nil {
		return nil, err
	}
	if err := proveTarget(config.Facts); err != nil {
		return nil, err
	}
	if _, err := m.Open(ctx, journal.Target{Kind: "rke", Name: clusterName(config.Facts), Namespace: wellknown.System}); err != nil {
		return nil, err
	}
	return m, nil
}

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

// Header implements migration.Backend.
func (b *Backend) Header(seen migration.Snapshot) []string {
	f := FactsOf(seen)
	binary := "rke not found"
	if f.Binary.OK() {
		binary = "rke " + f.Binary.Value.Version
	}
	return b.HeaderOf(seen, fmt.Sprintf("%s   %s · RKE %s · %s · %s", clusterName(f), f.Path,
		seen.Reading.Version, seen.Reading.CountMembers(), binary))
}

// Read implements migration.Backend: file, state, binary.
func (b *Backend) Read(ctx context.Context, record journal.Record) (migration.Config, error) {
	return b.read(ctx, record)
}

func (b *Backend) read(ctx context.Context, record journal.Record) (observed, error) {
	o := observed{record: record, noRKEUp: b.Options.NoRKEUp, snapshot: b.Options.Snapshot, ended: b.child.ended()}
	file, err := clusterfile.ReadFrom(b.disk(), b.Options.Config)
	if err != nil {
		return o, err
	}
	state, err := rkestate.Read(ctx, b.Access.Kube)
	if err != nil {
		return o, err
	}
	f := rkestate.Facts{Path: b.Options.Config, File: file, Config: file.Config(), State: state, Local: rkestate.ReadLocal(b.disk(), b.Options.Config)}
	if !b.binary.Looked {
		b.binary = b.lookForBinary(ctx, f)
	}
	f.Binary, f.PinnedVolumes = b.binary, b.PinnedVolumes(ctx)
	f.Registries = configtree.Registries("file "+f.Path, "private_registries", "is_default", configtree.Of(file.Text()))
	o.Facts = f
	return o, ctx.Err()
}

func (b *Backend) lookForBinary(ctx context.Context, f rkestate.Facts) verify.Read[rkecli.Binary] {
	return verify.ReadOf(b.tool().Find(ctx, b.Options.RKEBinary, f.KubernetesVersion(), b.Options.KubernetesVersion))
}
