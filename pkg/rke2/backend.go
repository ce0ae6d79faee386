package rke2

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Backend configures an RKE2 cluster through Rancher's Cluster object.
type Backend struct {
	clients rancher.Clients
	options Options
	clock   clock.PassiveClock
}

// New reads the cluster once. It returns an error if the downstream cluster is not the one
// that Rancher's object describes, or if awsmigrate cannot migrate it.
func New(ctx context.Context, clients rancher.Clients, options Options, clk clock.WithTicker) (*procedure.Migration, error) {
	b := &Backend{clients: clients, options: options, clock: clk}
	m := procedure.New(migration.Access{Kube: clients.Downstream, Config: clients.DownstreamConfig, Clock: clk,
		Options: options.Options, Distribution: wellknown.RKE2}, b)
	first, err := b.read(ctx, journal.Record{})
	if err != nil {
		return nil, err
	}
	if err := rancher.Supported(first.Facts); err != nil {
		return nil, err
	}
	snap, err := m.Open(ctx, journal.Target{Kind: "rke2", Name: options.Name, Namespace: options.Namespace}, first)
	if err != nil {
		return nil, err
	}
	f := rancherFacts(snap)
	if err := rancher.ProveTarget(f.Machines, rancher.MachineUIDs(snap.Reading.Down), f.ObjectName()); err != nil {
		return nil, err
	}
	return m, nil
}

// Read implements migration.Backend.
func (b *Backend) Read(ctx context.Context, record journal.Record) (migration.Config, error) {
	return b.read(ctx, record)
}

func (b *Backend) read(ctx context.Context, record journal.Record) (observed, error) {
	facts, err := b.clients.Read(ctx, b.options.Namespace, b.options.Name, b.clock.Now())
	return observed{Facts: facts, record: record, noSnapshot: reasonForNoSnapshot(b.options.Options)}, err
}

// Header implements migration.Backend.
func (b *Backend) Header(snap migration.Snapshot) []string {
	f := rancherFacts(snap)
	rancher := "version unknown"
	if f.Rancher.OK() {
		rancher = f.Rancher.Value
	}
	end := "not decided"
	if choice, err := b.endState(snap); err == nil {
		end = fmt.Sprintf("%s (%s)", choice.State, choice.Why)
	}
	lines := []string{
		fmt.Sprintf("%s   %s · %s · RKE2 %s · %s · Rancher %s", b.options.Name, b.options.Namespace,
			f.Cluster.ManagementID, f.Cluster.Spec.KubernetesVersion, snap.Reading.CountMembers(), rancher),
		"now    " + snap.Result.Text(),
		"end    " + end,
	}
	if machines := f.Reverted(snap.Reading.Down); len(machines) > 0 {
		lines = append(lines, fmt.Sprintf("note   Rancher is about to take %s back in-tree, without leader migration, next to the cloud controller manager (AWSM-121)", migration.NameList(machines)))
	}
	return lines
}

// Choices implements migration.Backend.
func (b *Backend) Choices() map[string]string { return b.options.Choices() }
