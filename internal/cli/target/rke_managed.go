package target

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// openManaged is open for an RKE cluster that Rancher manages: journal and lock
// are in the management cluster.
func (f *RKE) openManaged(ctx context.Context, may Access) (*Session, error) {
	runID := runner.NewRunID(time.Now())
	options, err := f.Options(runID)
	if err != nil {
		return nil, err
	}
	if f.requestTimeout <= 0 {
		return nil, fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", f.requestTimeout))
	}
	to := reach{f.requestTimeout, may}
	management, err := to.load(f.kubeconfig, f.kubeContext)
	if err != nil {
		return nil, err
	}
	deps := managed.Deps{Clock: clock.RealClock{}}
	if deps.Management, err = dynamic.NewForConfig(management); err != nil {
		return nil, fault.AsUsage(err)
	}
	home, err := kubernetes.NewForConfig(management)
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	cluster, err := managed.Find(ctx, deps.Management, f.cluster)
	if err != nil {
		return nil, err
	}
	if deps.DownstreamConfig, err = f.managedDownstream(management, cluster, to); err != nil {
		return nil, err
	}
	if deps.Kube, err = kubernetes.NewForConfig(deps.DownstreamConfig); err != nil {
		return nil, fault.AsUsage(err)
	}
	procedure, err := managed.New(ctx, deps, cluster.ID, options)
	if err != nil {
		return nil, err
	}
	return newSession(procedure, home, runID, f.again()).countedBy(deps.Kube), nil
}

func (f *RKE) managedDownstream(management *rest.Config, cluster managed.Cluster, to reach) (*rest.Config, error) {
	if f.downstreamKubeconfig != "" {
		return to.load(f.downstreamKubeconfig, "")
	}
	return managed.Downstream(management, cluster)
}
