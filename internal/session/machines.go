package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Machines say which Node each machine of a cluster is, and what its host is named by; nil:
// nobody knows.
type Machines func(context.Context) ([]record.Machine, error)

// machinesOf are those of a Cluster that Rancher provisions.
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
