package session

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
)

// openManaged opens an RKE cluster that Rancher manages: journal and lock
// are in the management cluster.
func openManaged(ctx context.Context, t Target, o Options, to reach) (*Session, error) {
	options := o.OfRKE(t)
	if err := options.Validate(); err != nil {
		return nil, err
	}
	way, err := wayToManaged(ctx, t, to)
	if err != nil {
		return nil, err
	}
	deps := managed.Deps{Clock: o.clock(), Management: way.management, DownstreamConfig: way.downstream}
	if deps.Kube, err = kubernetes.NewForConfig(deps.DownstreamConfig); err != nil {
		return nil, fault.AsUsage(err)
	}
	procedure, err := managed.New(ctx, deps, way.cluster.ID, options)
	if err != nil {
		return nil, err
	}
	return newSession(procedure, way.home, o).countedBy(deps.Kube).writingTo(t.writesTo(way.downstream)).reachedBy(way.downstream), nil
}

// managedWay is both API servers of an RKE cluster in Rancher.
type managedWay struct {
	cluster    managed.Cluster
	management dynamic.Interface
	home       kubernetes.Interface // the same server as management
	downstream *rest.Config
}

func wayToManaged(ctx context.Context, t Target, to reach) (managedWay, error) {
	var way managedWay
	if err := t.check(); err != nil {
		return way, err
	}
	management, err := to.config(t.Server)
	if err != nil {
		return way, err
	}
	if way.management, err = dynamic.NewForConfig(management); err != nil {
		return way, fault.AsUsage(err)
	}
	if way.home, err = kubernetes.NewForConfig(management); err != nil {
		return way, fault.AsUsage(err)
	}
	if way.cluster, err = managed.Find(ctx, way.management, t.Name); err != nil {
		return way, err
	}
	if t.Downstream.Named() {
		way.downstream, err = to.config(t.Downstream)
		return way, err
	}
	if way.downstream, err = managed.Downstream(ctx, managed.Management{Config: management, Dynamic: way.management, Kube: way.home, Clock: to.clock}, way.cluster); err != nil {
		return way, err
	}
	to.tune(way.downstream)
	return way, nil
}
