package rke

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// controlPlane brings up etcd and the control planes: all at once in a new cluster, within the
// limits in an existing one (rancher/rke:cluster/cluster.go DeployControlPlane,
// UpgradeControlPlane@v1.5.10).
func (r *run) controlPlane(ctx context.Context) error {
	if r.UpdateOnly && r.upgrade {
		return nil
	}
	if err := r.etcdPlane(ctx); err != nil {
		return fmt.Errorf("[etcd] Failed to bring up Etcd Plane: %w", err)
	}
	plans := map[string]map[string]docker.Spec{}
	for _, h := range r.cluster.controlPlanes() {
		plans[h.Address] = r.cluster.Plan(h)
	}
	if !r.upgrade {
		r.Log.infof("[controlplane] Building up Controller Plane..")
		if err := r.deployControl(ctx, r.cluster.controlPlanes(), plans); err != nil {
			return fmt.Errorf("[controlPlane] Failed to bring up Control Plane: %w", err)
		}
		r.Log.infof("[controlplane] Successfully started Controller Plane..")
		return nil
	}
	return r.upgradeControlPlane(ctx, plans)
}

func (r *run) etcdPlane(ctx context.Context) error {
	r.Log.infof("[etcd] Building up etcd plane..")
	for _, h := range r.cluster.with(func(h *Host) bool { return h.Etcd }) {
		if err := r.container(ctx, h, etcd, r.cluster.Plan(h)[etcd], "etcd"); err != nil {
			return err
		}
	}
	r.Log.infof("[etcd] Successfully started etcd plane.. Checking etcd cluster health")
	return nil
}

func (r *run) deployControl(ctx context.Context, hosts []*Host, plans map[string]map[string]docker.Spec) error {
	return failures(hosts, workers, func(h *Host) error { return r.deployControlHost(ctx, h, plans[h.Address]) })
}

func (r *run) deployControlHost(ctx context.Context, h *Host, plan map[string]docker.Spec) error {
	if err := r.sidekick(ctx, h, plan[sidekick]); err != nil {
		return err
	}
	for _, name := range []string{apiServer, controller, scheduler} {
		if err := r.component(ctx, h, name, plan[name], "controlplane"); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) upgradeControlPlane(ctx context.Context, plans map[string]map[string]docker.Spec) error {
	inactive := 0
	for _, h := range r.inactive {
		if h.ControlPlane {
			inactive++
		}
	}
	limit, err := lessInactive(r.maxControl, inactive, "controlplane")
	if err != nil {
		return err
	}
	hosts := r.cluster.controlPlanes()
	r.notReadyFirst(ctx, hosts, "controlplane", func(notReady []*Host) error {
		return errors.Join(r.deployControl(ctx, notReady, plans), r.deployWorkers(ctx, notReady, plans))
	})
	r.Log.infof("[controlplane] Processing controlplane hosts for upgrade %d at a time", limit)
	failed, err := r.rolling(ctx, hosts, limit, "controlplane", func(h *Host) error {
		return r.upgradeControlHost(ctx, h, plans[h.Address])
	})
	if inactive > 0 {
		err = errors.Join(err, r.allIncluded())
	}
	if err != nil {
		if len(failed) > 0 {
			r.Log.errorf("Failed to upgrade hosts: %v with error [%v]", strings.Join(failed, ","), err)
		}
		return fmt.Errorf("[controlPlane] Failed to upgrade Control Plane: [%w]", err)
	}
	r.Log.infof("[controlplane] Successfully upgraded Controller Plane..")
	return nil
}

func (r *run) upgradeControlHost(ctx context.Context, h *Host, plan map[string]docker.Spec) error {
	control, err := r.hasChanged(ctx, h, plan, sidekick, apiServer, controller, scheduler)
	if err != nil {
		return err
	}
	worker, err := r.hasChanged(ctx, h, plan, sidekick, kubelet, kubeProxy)
	if err != nil {
		return err
	}
	if !control && !worker {
		r.Log.infof("Upgrade not required for controlplane and worker components of host %v", h.HostnameOverride)
		if err := r.cordon(ctx, h, false); err != nil {
			r.Log.errorf("[controlplane] Failed to uncordon node %v, error: %v", h.HostnameOverride, err)
		}
		return nil
	}
	if err := r.cordon(ctx, h, true); err != nil {
		return err
	}
	if control {
		r.Log.infof("Upgrading controlplane components for control host %v", h.HostnameOverride)
		if err := r.deployControlHost(ctx, h, plan); err != nil {
			return err
		}
	}
	if worker {
		r.Log.infof("Upgrading workerplane components for control host %v", h.HostnameOverride)
		if err := r.deployWorkerHost(ctx, h, plan); err != nil {
			return err
		}
	}
	if err := r.nodeReady(ctx, h, "controlplane"); err != nil {
		return err
	}
	return r.cordon(ctx, h, false)
}
