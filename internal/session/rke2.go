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
	if err := o.rke2(t).Validate(); err != nil {
		return nil, err
	}
	clients, t, err := connectRKE2(ctx, t, to)
	if err != nil {
		return nil, err
	}
	procedure, err := rke2.New(ctx, clients, o.rke2(t), o.clock())
	if err != nil {
		return nil, err
	}
	return newSession(procedure, clients.ManagementKube, o).countedBy(clients.Downstream).writingTo(t.writesTo(clients.DownstreamConfig)).
		reachedBy(clients.DownstreamConfig).withMachines(machinesOf(clients, t.Namespace, t.Name)), nil
}

// connectRKE2 returns clients for both API servers, and the target by the name of its Cluster object.
func connectRKE2(ctx context.Context, t Target, to serverDialer) (rancher.Clients, Target, error) {
	if err := t.check(); err != nil {
		return rancher.Clients{}, t, err
	}
	management, err := to.config(t.Server)
	if err != nil {
		return rancher.Clients{}, t, err
	}
	clients := rancher.Clients{FromCache: to.may == ReadOnly, Known: &rancher.Known{}}
	if clients.Management, err = dynamic.NewForConfig(management); err != nil {
		return clients, t, fault.AsUsage(err)
	}
	if clients.ManagementKube, err = kubernetes.NewForConfig(management); err != nil {
		return clients, t, fault.AsUsage(err)
	}
	if t.Namespace, t.Name, err = rancher.ResolveName(ctx, clients.Management, t.Namespace, t.Name); err != nil {
		return clients, t, err
	}
	if clients.DownstreamConfig, err = downstreamRKE2(ctx, t, management, clients, to); err != nil {
		return clients, t, err
	}
	if clients.Downstream, err = kubernetes.NewForConfig(clients.DownstreamConfig); err != nil {
		return clients, t, fault.AsUsage(err)
	}
	clients.DownstreamDynamic, err = dynamic.NewForConfig(clients.DownstreamConfig)
	return clients, t, fault.AsUsage(err)
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
