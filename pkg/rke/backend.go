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

// Deps holds the external dependencies of a migration.
type Deps struct {
	Kube   kubernetes.Interface // the cluster to migrate
	Config *rest.Config
	Clock  clock.WithTicker
	// Live gets every line that rke prints.
	Live io.Writer
	// LockFile returns the file that every rke inherits, or nil while no lock is held.
	LockFile func() *os.File
	// Disk holds cluster.yml and its directory. If it is nil, the local disk is used.
	Disk clusterfile.FS
	// Tool starts rke. If it is nil, the binary of the options is used.
	Tool rkecli.Tool
}

// Backend configures an RKE cluster through its cluster.yml and runs rke.
type Backend struct {
	*Common
	deps   Deps
	binary verify.Read[rkecli.Binary] // searched once per run
	child  *child                     // the rke that this run started last, or nil
}

// New reads file, state and cluster once. It returns an error if the file describes another
// cluster.
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
	if _, err := m.Open(ctx, journal.Target{Kind: "rke", Name: clusterName(config.Facts), Namespace: wellknown.System}, config); err != nil {
		return nil, err
	}
	return m, nil
}

// clusterName returns the name that rke uses for the cluster
// (rancher/rke:cluster/defaults.go@v1.5.9, DefaultClusterName).
func clusterName(f rkestate.Facts) string {
	return migration.OrElse(f.Config.ClusterName, "local")
}

// proveTarget returns an error unless rke's state in the cluster contains a host of the file.
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
func (b *Backend) Header(snap migration.Snapshot) []string {
	f := FactsOf(snap)
	binary := "rke not found"
	if f.Binary.OK() {
		binary = "rke " + f.Binary.Value.Version
	}
	return b.HeaderOf(snap, fmt.Sprintf("%s   %s · RKE %s · %s · %s", clusterName(f), f.Path,
		snap.Reading.Version, snap.Reading.CountMembers(), binary))
}

// Read implements migration.Backend. It reads file, state and binary.
func (b *Backend) Read(ctx context.Context, record journal.Record) (migration.Config, error) {
	return b.read(ctx, record)
}

func (b *Backend) read(ctx context.Context, record journal.Record) (observed, error) {
	o := observed{record: record, noRKEUp: b.Options.NoRKEUp, snapshot: b.Options.Snapshot, ended: b.child.endedToken()}
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
