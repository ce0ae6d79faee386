package session

import (
	"context"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Watched is a target for whoever only watches it.
type Watched struct {
	Way      *rest.Config // to its own API server
	Machines Machines
}

// Way is the way to a target's own API server, through Rancher where that is how it is
// reached, for whoever only watches. The transport refuses to write.
func Way(ctx context.Context, t Target, c clock.Clock) (*rest.Config, error) {
	watched, err := ToWatch(ctx, t, c)
	return watched.Way, err
}

// ToWatch is that way, and what Rancher knows of the machines.
func ToWatch(ctx context.Context, t Target, c clock.Clock) (Watched, error) {
	if err := t.check(); err != nil {
		return Watched{}, err
	}
	to := reach{timeout: t.RequestTimeout, may: ReadOnly, clock: c}
	switch t.Kind {
	case RKE2:
		clients, err := connectRKE2(ctx, t, to)
		return Watched{Way: clients.DownstreamConfig, Machines: machinesOf(clients, t.Namespace, t.Name)}, err
	case RKE:
		way, err := wayToManaged(ctx, t, to)
		return Watched{Way: way.downstream}, err
	case ClusterFile, APIOnly:
		way, err := to.config(t.Server)
		return Watched{Way: way}, err
	}
	return Watched{}, &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "target " + t.Name, Seen: "kind " + string(t.Kind), Wanted: "a cluster that has an API server"}
}
