package rke

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// workerPlane brings up kubelets: everywhere at once in a new cluster; in an existing one only
// on hosts without control plane, nodes with etcd first and one at a time
// (rancher/rke:services/workerplane.go@v1.5.10).
func (r *run) workerPlane(ctx context.Context) error {
	plans := map[string]map[string]docker.Spec{}
	var withEtcd, only []*Host
	for _, h := range r.cluster.Hosts {
		plans[h.Address] = r.cluster.Plan(h)
		switch {
		case h.ControlPlane:
		case h.Etcd:
			withEtcd = append(withEtcd, h)
		default:
			only = append(only, h)
		}
	}
	if !r.upgrade {
		r.Log.infof("[worker] Building up Worker Plane..")
		if err := r.deployWorkers(ctx, r.cluster.Hosts, plans); err != nil {
			return fmt.Errorf("[workerPlane] Failed to bring up Worker Plane: %w", err)
		}
		r.Log.infof("[worker] Successfully started Worker Plane..")
		return nil
	}
	if r.UpdateOnly {
		return nil
	}
	inactive := 0
	for _, h := range r.inactive {
		if !h.ControlPlane {
			inactive++
		}
	}
	limit, err := lessInactive(r.maxWorker, inactive, "worker")
	if err != nil {
		return err
	}
	r.notReadyFirst(ctx, append(append([]*Host{}, withEtcd...), only...), "worker", func(notReady []*Host) error {
		return r.deployWorkers(ctx, notReady, plans)
	})
	r.Log.infof("[worker] Upgrading Worker Plane..")
	return r.upgradeWorkers(ctx, withEtcd, only, limit, plans)
}

func (r *run) upgradeWorkers(ctx context.Context, withEtcd, only []*Host, limit int, plans map[string]map[string]docker.Spec) error {
	upgrade := func(h *Host) error { return r.upgradeWorkerHost(ctx, h, plans[h.Address]) }
	if len(withEtcd) > 0 {
		r.Log.infof("First checking and processing worker components for upgrades on nodes with etcd role one at a time")
		if failed, err := r.rolling(ctx, withEtcd, 1, "worker", upgrade); err != nil {
			r.Log.errorf("Failed to upgrade hosts: %v with error [%v]", strings.Join(failed, ","), err)
			return fmt.Errorf("[workerPlane] Failed to upgrade Worker Plane: [%w]", err)
		}
	}
	if len(only) > 0 {
		r.Log.infof("Now checking and upgrading worker components on nodes with only worker role %d at a time", limit)
	}
	failed, err := r.rolling(ctx, only, limit, "worker", upgrade)
	if err != nil {
		r.Log.errorf("Failed to upgrade hosts: %v with error [%v]", strings.Join(failed, ","), err)
		if len(failed) >= limit {
			return fmt.Errorf("[workerPlane] Failed to upgrade Worker Plane: [%w]", err)
		}
		// The other hosts are done. rke deploys its addons before it reports the error.
		return fmt.Errorf("Failed to upgrade hosts: %v with error [%w]", strings.Join(failed, ","), err) //nolint:staticcheck // rke's words
	}
	r.Log.infof("[worker] Successfully upgraded Worker Plane..")
	return nil
}

func (r *run) upgradeWorkerHost(ctx context.Context, h *Host, plan map[string]docker.Spec) error {
	changed, err := r.hasChanged(ctx, h, plan, nginxProxy, sidekick, kubelet, kubeProxy)
	if err != nil {
		return err
	}
	if !changed {
		r.Log.infof("[workerplane] Upgrade not required for worker components of host %v", h.HostnameOverride)
		if err := r.cordon(ctx, h, false); err != nil {
			r.Log.errorf("[workerplane] Failed to uncordon node %v, error: %v", h.HostnameOverride, err)
		}
		return nil
	}
	if err := r.cordon(ctx, h, true); err != nil {
		return err
	}
	if err := r.deployWorkerHost(ctx, h, plan); err != nil {
		return err
	}
	if err := r.nodeReady(ctx, h, "worker"); err != nil {
		return err
	}
	return r.cordon(ctx, h, false)
}

func (r *run) deployWorkers(ctx context.Context, hosts []*Host, plans map[string]map[string]docker.Spec) error {
	return failures(hosts, workers, func(h *Host) error { return r.deployWorkerHost(ctx, h, plans[h.Address]) })
}

func (r *run) deployWorkerHost(ctx context.Context, h *Host, plan map[string]docker.Spec) error {
	if !h.ControlPlane {
		if err := r.component(ctx, h, nginxProxy, plan[nginxProxy], "worker"); err != nil {
			return err
		}
	}
	if err := r.sidekick(ctx, h, plan[sidekick]); err != nil {
		return err
	}
	for _, name := range []string{kubelet, kubeProxy} {
		if err := r.component(ctx, h, name, plan[name], "worker"); err != nil {
			return err
		}
	}
	return nil
}
