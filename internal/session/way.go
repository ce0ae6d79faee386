package session

import (
	"context"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Watched holds the connection to a target for read-only watching.
type Watched struct {
	Way      *rest.Config // configuration of the cluster's own API server
	Machines Machines
}

// Way returns the configuration of a target's own API server, through Rancher if needed. The
// transport refuses to write.
func Way(ctx context.Context, t Target, c clock.Clock) (*rest.Config, error) {
	watched, err := ToWatch(ctx, t, c)
	return watched.Way, err
}

// ToWatch returns the same connection with Rancher's view of the machines.
func ToWatch(ctx context.Context, t Target, c clock.Clock) (Watched, error) {
	if err := t.check(); err != nil {
		return Watched{}, err
	}
	to := serverDialer{timeout: t.RequestTimeout, may: ReadOnly, clock: c}
	switch t.Kind {
	case RKE2:
		clients, t, err := connectRKE2(ctx, t, to)
		return Watched{Way: clients.DownstreamConfig, Machines: machinesOf(clients, t.Namespace, t.Name)}, err
	case RKE:
		route, err := routeToManaged(ctx, t, to)
		return Watched{Way: route.downstream}, err
	case ClusterFile:
		config, err := t.fileConfig(to)
		return Watched{Way: config}, err
	case APIOnly:
		config, err := to.config(t.Server)
		return Watched{Way: config}, err
	}
	return Watched{}, &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "target " + t.Name, Seen: "kind " + string(t.Kind), Wanted: "a cluster that has an API server"}
}
