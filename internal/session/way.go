package session

import (
	"context"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Way is the way to a target's own API server, through Rancher where that is how it is
// reached, for whoever only watches. The transport refuses to write.
func Way(ctx context.Context, t Target, c clock.Clock) (*rest.Config, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	to := reach{timeout: t.RequestTimeout, may: ReadOnly, clock: c}
	switch t.Kind {
	case RKE2:
		clients, err := connectRKE2(ctx, t, to)
		return clients.DownstreamConfig, err
	case RKE:
		way, err := wayToManaged(ctx, t, to)
		return way.downstream, err
	case ClusterFile, APIOnly:
		return to.config(t.Server)
	}
	return nil, &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "target " + t.Name, Seen: "kind " + string(t.Kind), Wanted: "a cluster that has an API server"}
}
