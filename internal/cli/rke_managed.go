package cli

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// openManaged is open for an RKE cluster that Rancher manages: journal and lock
// are in the management cluster.
func (f *rkeFlags) openManaged(ctx context.Context, may access) (*session, error) {
	runID := runner.NewRunID(time.Now())
	options, err := f.options(runID)
	if err != nil {
		return nil, err
	}
	if f.requestTimeout <= 0 {
		return nil, usage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", f.requestTimeout))
	}
	to := reach{f.requestTimeout, may}
	management, err := to.load(f.kubeconfig, f.kubeContext)
	if err != nil {
		return nil, err
	}
	edges := rke.ManagedEdges{Clock: clock.RealClock{}}
	if edges.Management, err = dynamic.NewForConfig(management); err != nil {
		return nil, usage(err)
	}
	home, err := kubernetes.NewForConfig(management)
	if err != nil {
		return nil, usage(err)
	}
	cluster, err := rke.FindManaged(ctx, edges.Management, f.cluster)
	if err != nil {
		return nil, err
	}
	if edges.DownstreamConfig, err = f.managedDownstream(management, cluster, to); err != nil {
		return nil, err
	}
	if edges.Kube, err = kubernetes.NewForConfig(edges.DownstreamConfig); err != nil {
		return nil, usage(err)
	}
	procedure, err := rke.NewManaged(ctx, edges, cluster.ID, options)
	if err != nil {
		return nil, err
	}
	return newSession(procedure, home, runID, f.again()), nil
}

func (f *rkeFlags) managedDownstream(management *rest.Config, cluster rke.ManagedCluster, to reach) (*rest.Config, error) {
	if f.downstreamKubeconfig != "" {
		return to.load(f.downstreamKubeconfig, "")
	}
	return rke.ManagedDownstream(management, cluster)
}
