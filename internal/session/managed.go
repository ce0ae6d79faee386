package session

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
)

// openManaged opens an RKE cluster that Rancher manages. Journal and lock are in the management
// cluster.
func openManaged(ctx context.Context, t Target, o Options, to serverDialer) (*Session, error) {
	options := o.OfRKE(t)
	if err := options.Validate(); err != nil {
		return nil, err
	}
	route, err := routeToManaged(ctx, t, to)
	if err != nil {
		return nil, err
	}
	deps := managed.Deps{Clock: o.clock(), Management: route.management, DownstreamConfig: route.downstream}
	if deps.Kube, err = kubernetes.NewForConfig(deps.DownstreamConfig); err != nil {
		return nil, fault.AsUsage(err)
	}
	procedure, err := managed.New(ctx, deps, route.cluster.ID, options)
	if err != nil {
		return nil, err
	}
	s := newSession(procedure, route.home, o).countedBy(deps.Kube).writingTo(t.writesTo(route.downstream)).reachedBy(route.downstream)
	if route.cluster.DisplayName != route.cluster.ID {
		s.DisplayName = route.cluster.DisplayName
	}
	return s, nil
}

// managedRoute holds the clients of both API servers of an RKE cluster in Rancher.
type managedRoute struct {
	cluster    managed.Cluster
	management dynamic.Interface
	home       kubernetes.Interface // the same server as management
	downstream *rest.Config
}

func routeToManaged(ctx context.Context, t Target, to serverDialer) (managedRoute, error) {
	var route managedRoute
	if err := t.check(); err != nil {
		return route, err
	}
	management, err := to.config(t.Server)
	if err != nil {
		return route, err
	}
	if route.management, err = dynamic.NewForConfig(management); err != nil {
		return route, fault.AsUsage(err)
	}
	if route.home, err = kubernetes.NewForConfig(management); err != nil {
		return route, fault.AsUsage(err)
	}
	if route.cluster, err = managed.Find(ctx, route.management, t.Name); err != nil {
		return route, err
	}
	if t.Downstream.Named() {
		route.downstream, err = to.config(t.Downstream)
		return route, err
	}
	if route.downstream, err = managed.Downstream(ctx, managed.Management{Config: management, Dynamic: route.management, Kube: route.home, Clock: to.clock}, route.cluster); err != nil {
		return route, err
	}
	to.tune(route.downstream)
	return route, nil
}
