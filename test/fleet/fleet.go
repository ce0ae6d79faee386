package fleet

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/sim"
)

// Namespace has the Clusters.
const Namespace = "fleet-default"

// Fleet is a number of simulated clusters in one Rancher.
type Fleet struct {
	// Manifest is the additionalManifest of the RKE2 clusters that are added, or empty.
	Manifest string

	members   []*Member
	byID      map[string]*Member
	dyn       dynamic.Interface
	kube      kubernetes.Interface
	clock     clock.Clock
	authority *rancher.Authority
	listener  net.Listener
	served    atomic.Int64
}

// Served returns the number of requests to the API servers of all members.
func (f *Fleet) Served() int64 { return f.served.Load() }

// Member is one simulated cluster.
type Member struct {
	*sim.World

	Name string // of its ClusterMigration
	id   string // Rancher's
	kept []mirrored
	away atomic.Bool
	copied
}

// IsRKE reports whether Rancher runs rke for the cluster.
func (m *Member) IsRKE() bool { return m.Name == m.id }

// SetAway ends, or restores, every connection to the cluster.
func (m *Member) SetAway(away bool) { m.away.Store(away) }

// New returns an empty fleet in the cluster that Rancher runs in. The time of its clusters is that
// of the clock, which must not stop.
func New(config *rest.Config, c clock.Clock) (*Fleet, error) {
	f := &Fleet{byID: map[string]*Member{}, clock: c}
	config = rest.CopyConfig(config)
	config.QPS, config.UserAgent, config.WarningHandler = -1, "rancher", rest.NoWarnings{}
	var err error
	if f.dyn, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	if f.kube, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	if f.authority, err = rancher.NewAuthority("simulated-rancher", time.Now()); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	if f.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	return f, nil
}

// AddRKE2 adds a cluster that Rancher provisions. Run makes its objects.
func (f *Fleet) AddRKE2(name string) *Member {
	id := fmt.Sprintf("c-m-%08d", len(f.members))
	return f.add(&Member{Name: name, id: id, kept: provisioned, World: f.setup(name, id).RKE2()})
}

// AddRKE adds an RKE cluster. Its ClusterMigration has the name of its mirror, which is its ID.
func (f *Fleet) AddRKE(name string) *Member {
	id := fmt.Sprintf("c-s%04d", len(f.members))
	return f.add(&Member{Name: id, id: id, kept: managed, World: f.setup(name, id).Managed()})
}

func (f *Fleet) setup(name, id string) sim.Setup {
	return sim.Setup{Name: name, ID: id, Manifest: f.Manifest, Start: f.clock.Now(), Clock: f.clock.Now}
}

func (f *Fleet) add(m *Member) *Member {
	m.ServeWatches()
	m.copied = copied{sent: map[place]string{}, generation: map[place]int64{}}
	f.members, f.byID[m.id] = append(f.members, m), m
	return m
}

// Members returns all clusters in the order in which they were added.
func (f *Fleet) Members() []*Member { return f.members }

// Run makes the objects of all members, calls ready, and carries the clusters on until ctx ends,
// which is no error.
func (f *Fleet) Run(ctx context.Context, ready func()) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return f.serve(ctx) })
	if err := f.makeAll(ctx); err != nil {
		return err
	}
	if err := f.follow(ctx); err != nil {
		return err
	}
	if err := f.each(ctx, f.copyMember); err != nil { // the statuses
		return err
	}
	ready()
	g.Go(func() error { return f.carryOn(ctx) })
	return g.Wait()
}

// makers is the number of members that are made, or copied, at a time.
const makers = 8

// each calls do for every member.
func (f *Fleet) each(ctx context.Context, do func(context.Context, *Member) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(makers)
	for _, m := range f.members {
		g.Go(func() error {
			if err := do(ctx, m); err != nil && ctx.Err() == nil {
				return fmt.Errorf("simulated cluster %s: %w", m.Name, err)
			}
			return nil
		})
	}
	return g.Wait()
}
