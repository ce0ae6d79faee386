package session

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// openRKE2 opens a cluster that Rancher provisions. Journal and lock are in the management
// cluster.
func openRKE2(ctx context.Context, t Target, o Options, to serverDialer) (*Session, error) {
	options := o.rke2(t)
	if err := options.Validate(); err != nil {
		return nil, err
	}
	clients, err := connectRKE2(ctx, t, to)
	if err != nil {
		return nil, err
	}
	procedure, err := rke2.New(ctx, clients, options, o.clock())
	if err != nil {
		return nil, err
	}
	return newSession(procedure, clients.ManagementKube, o).countedBy(clients.Downstream).writingTo(t.writesTo(clients.DownstreamConfig)).
		reachedBy(clients.DownstreamConfig).withMachines(machinesOf(clients, t.Namespace, t.Name)), nil
}

// connectRKE2 returns clients for both API servers.
func connectRKE2(ctx context.Context, t Target, to serverDialer) (rancher.Clients, error) {
	if err := t.check(); err != nil {
		return rancher.Clients{}, err
	}
	management, err := to.config(t.Server)
	if err != nil {
		return rancher.Clients{}, err
	}
	var clients rancher.Clients
	if clients.Management, err = dynamic.NewForConfig(management); err != nil {
		return clients, fault.AsUsage(err)
	}
	if clients.ManagementKube, err = kubernetes.NewForConfig(management); err != nil {
		return clients, fault.AsUsage(err)
	}
	downstream, err := downstreamRKE2(ctx, t, management, clients, to)
	if err != nil {
		return clients, err
	}
	clients.DownstreamConfig = downstream
	if clients.Downstream, err = kubernetes.NewForConfig(downstream); err != nil {
		return clients, fault.AsUsage(err)
	}
	clients.DownstreamDynamic, err = dynamic.NewForConfig(downstream)
	return clients, fault.AsUsage(err)
}

func downstreamRKE2(ctx context.Context, t Target, management *rest.Config, clients rancher.Clients, to serverDialer) (*rest.Config, error) {
	if t.Downstream.Named() {
		return to.config(t.Downstream)
	}
	cluster, err := rancher.FindCluster(ctx, clients.Management, t.Namespace, t.Name)
	if err != nil {
		return nil, err
	}
	config, err := rancher.DownstreamConfig(ctx, management, clients.ManagementKube, cluster, to.clock)
	if err != nil {
		return nil, err
	}
	to.tune(config)
	return config, nil
}
