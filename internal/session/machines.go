package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Machines returns the Node of each machine of a cluster, and the object that names its host.
// It is nil if unknown.
type Machines func(context.Context) ([]record.Machine, error)

// machinesOf returns the machines of a Cluster that Rancher provisions.
func machinesOf(clients rancher.Clients, namespace, name string) Machines {
	return func(ctx context.Context) ([]record.Machine, error) {
		read, err := clients.ReadMachines(ctx, namespace, name)
		if err != nil {
			return nil, err
		}
		all := make([]record.Machine, 0, len(read))
		for _, m := range read {
			all = append(all, record.Machine{Name: m.Name, Infrastructure: m.Infrastructure, Node: m.NodeName})
		}
		return all, nil
	}
}
