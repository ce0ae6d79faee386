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

// Backend configures an RKE2 cluster by Rancher's Cluster object.
type Backend struct {
	clients rancher.Clients
	options Options
	clock   clock.PassiveClock
}

// New reads the cluster once, proves that the downstream cluster is the one
// that Rancher's object describes, and refuses what this tool cannot migrate.
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
	seen, err := m.Open(ctx, journal.Target{Kind: "rke2", Name: options.Name, Namespace: options.Namespace})
	if err != nil {
		return nil, err
	}
	f := factsOf(seen)
	if err := rancher.ProveTarget(f.Machines, rancher.MachineUIDs(seen.Reading.Down), f.ObjectName()); err != nil {
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
	return observed{Facts: facts, record: record, snapshot: b.options.Snapshot}, err
}

// Header describes cluster and position for people.
func (b *Backend) Header(seen migration.Snapshot) []string {
	f := factsOf(seen)
	rancher := "version unknown"
	if f.Rancher.OK() {
		rancher = f.Rancher.Value
	}
	end := "not decided"
	if choice, err := b.endState(seen); err == nil {
		end = fmt.Sprintf("%s (%s)", choice.State, choice.Why)
	}
	lines := []string{
		fmt.Sprintf("%s   %s · %s · RKE2 %s · %s · Rancher %s", b.options.Name, b.options.Namespace,
			f.Cluster.ManagementID, f.Cluster.Spec.KubernetesVersion, seen.Reading.CountMembers(), rancher),
		"now    " + seen.Result.Text(),
		"end    " + end,
	}
	if machines := f.Reverted(seen.Reading.Down); len(machines) > 0 {
		lines = append(lines, fmt.Sprintf("note   Rancher is about to take %s back in-tree, without leader migration, beside the cloud controller manager (AWSM-121)", migration.NameList(machines)))
	}
	return lines
}

// Choices implements migration.Backend.
func (b *Backend) Choices() map[string]string { return b.options.Choices() }
