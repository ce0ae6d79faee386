package node

import (
	"context"
	"net"
	"sync"
	"time"
)

// Real is a real machine, on which this package is only RKE2 and the system agent: it renders
// arguments, writes files and manifests, and starts the kubelet, which does the rest. The machine's
// /var/lib/rancher and /etc/rancher are those in the agent's folder.
type Real interface {
	// Kubelet runs the kubelet until it ends, and returns its end as an error. If ctx ends
	// before, it is killed.
	Kubelet(ctx context.Context, args []string) error
	// Dial connects to an address as the machine's own processes do.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// RemoveSandboxes removes a static pod's sandboxes but those of the pod with the UID, and
	// returns how many there were.
	RemoveSandboxes(ctx context.Context, component, uid string) (int, error)
}

// superviseReal is one run of the service on a real machine. Pods outlive it, as on a machine where
// systemd ends only the main process.
func (r *rke2Service) superviseReal(ctx context.Context, config RKE2Config, rendering Rendering) error {
	k := &kubelet{a: r.a, s: r.s, config: config, rendering: rendering}
	for _, step := range []func(context.Context) error{k.prepareReal, k.layManifests} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	r.setKubelet(k)
	defer r.setKubelet(nil)
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() { k.labelNode(ctx) })
	for _, work := range []func(context.Context) error{k.writeManifests, k.reconcileSandboxes} {
		parts.Go(func() {
			if err := work(ctx); err != nil && ctx.Err() == nil {
				r.a.logf("rke2: %v", err)
			}
		})
	}
	for {
		k.healthy.Store(true)
		err := r.a.c.Real.Kubelet(ctx, rendering.Kubelet)
		k.healthy.Store(false)
		if ctx.Err() == nil {
			r.a.logf("rke2: kubelet exited: %v", err)
		}
		if !wait(ctx, r.a.c.Clock, rke2RestartDelay) {
			return nil
		}
	}
}

// prepareReal determines the name that the kubelet will register, for RKE2's own labels, and writes
// etcd's configuration.
func (k *kubelet) prepareReal(ctx context.Context) (err error) {
	if k.id, err = kubeletIdentity(ctx, k.rendering.Kubelet, k.a.c.Facts, k.a.c.Cloud); err != nil || !k.a.c.Roles.Etcd {
		return err
	}
	return k.a.writeEtcdConfig(ctx, k.config)
}

// reconcilePeriod is the period in which RKE2 looks for sandboxes of replaced static pods, until it
// finds no more.
const reconcilePeriod = 20 * time.Second

// reconcileSandboxes removes sandboxes of etcd and kube-apiserver that a kubelet leaves while its API
// server is away (rancher/rke2:pkg/rke2/spw.go@v1.26.15+rke2r1).
func (k *kubelet) reconcileSandboxes(ctx context.Context) error {
	if !k.rendering.Server {
		return nil
	}
	for {
		synced := true
		for _, component := range []string{Etcd, KubeAPIServer} {
			uid, err := k.a.manifestUID(component)
			if err != nil {
				return err
			}
			if uid == "" {
				continue
			}
			removed, err := k.a.c.Real.RemoveSandboxes(ctx, component, uid)
			if err != nil && ctx.Err() == nil {
				k.a.logf("rke2: %v", err)
			}
			synced = synced && removed == 0 && err == nil
		}
		if synced && k.written.Load() || !wait(ctx, k.a.c.Clock, reconcilePeriod) {
			return nil
		}
	}
}
