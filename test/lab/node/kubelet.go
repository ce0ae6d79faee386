package node

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
)

// kubelet is one run of the kubelet process: it determines its name, registers, sends
// heartbeats, runs pods and shows static ones. Containers outlive it.
type kubelet struct {
	a         *Agent
	s         *session
	config    RKE2Config
	rendering Rendering
	runtime   string // that of RKE2 if empty

	id       identity
	client   kubernetes.Interface
	recorder record.EventRecorder
	healthy  atomic.Bool
	written  atomic.Bool // on a real machine: all manifests

	mu      sync.Mutex
	problem string
	nodeUID string
}

// run works until ctx ends. An error is the process's exit.
func (k *kubelet) run(ctx context.Context) error {
	if err := refusedProvider(Kubelet, k.rendering.Version, k.rendering.Kubelet); err != nil {
		return fmt.Errorf("failed to run Kubelet: could not init cloud provider: %w", err)
	}
	id, err := kubeletIdentity(ctx, k.rendering.Kubelet, k.a.c.Facts, k.a.c.Cloud)
	if err != nil {
		return err
	}
	k.id = id
	config, err := k.a.clientConfig("system:node:"+id.Name, "system:nodes")
	if err != nil {
		return err
	}
	if k.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("kubelet %s: client: %w", id.Name, err)
	}
	k.recorder = eventRecorder(ctx, k.client, id.Name)
	k.healthy.Store(true)
	defer k.healthy.Store(false)
	k.a.logf("kubelet: cloud provider %q, node %s, hostname %s", id.Provider, id.Name, id.Hostname)

	var parts sync.WaitGroup
	parts.Go(func() {
		if err := k.s.static.apply(ctx, k.rendering); err != nil && ctx.Err() == nil {
			k.a.logf("static pods: %v", err)
		}
	})
	if k.s.rke2 != nil {
		parts.Go(func() { k.leftManifests(ctx) })
	}
	if k.register(ctx) {
		parts.Go(func() { k.heartbeats(ctx) })
		parts.Go(func() { k.s.pods.serve(ctx, k) })
		if k.s.rke2 != nil {
			parts.Go(func() { k.labelNode(ctx) })
		}
		if k.rendering.BuiltInCCM && k.a.c.Roles.ControlPlane {
			parts.Go(func() { k.builtInCloudController(ctx) })
		}
	}
	parts.Wait()
	return nil
}

func (k *kubelet) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.problem = err.Error()
}

// status also accepts nil, a kubelet that was not started.
func (k *kubelet) status() (name, problem string) {
	if k == nil {
		return "", ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.healthy.Load() {
		name = k.id.Name
	}
	return name, k.problem
}
