package node

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// rke2RestartDelay is RestartSec of rke2's unit files, and the pause before a kubelet that
// exited is restarted.
const rke2RestartDelay = 5 * time.Second

// rke2Service is the rke2-server or rke2-agent service. It reads the configuration, determines
// the node name, runs the kubelet as its child and writes the static pods' manifests.
type rke2Service struct {
	a       *Agent
	s       *session
	ctx     context.Context
	wake    chan struct{}
	kubelet chan struct{} // asks for a new kubelet only

	mu      sync.Mutex
	current *kubelet
	problem string
}

func newRKE2Service(ctx context.Context, a *Agent, s *session) *rke2Service {
	return &rke2Service{a: a, s: s, ctx: ctx, wake: make(chan struct{}, 1), kubelet: make(chan struct{}, 1)}
}

// restart is `systemctl --no-block restart`.
func (r *rke2Service) restart() { nudge(r.wake) }

func (r *rke2Service) restartKubelet() { nudge(r.kubelet) }

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run starts the service on request, and again after a failure.
func (r *rke2Service) run() {
	select {
	case <-r.ctx.Done():
		return
	case <-r.wake:
	}
	for first := true; r.ctx.Err() == nil; first = false {
		ctx, cancel := context.WithCancel(r.ctx)
		ended := make(chan error, 1)
		go func() { ended <- r.once(ctx, first) }()
		select {
		case <-r.ctx.Done():
			cancel()
			<-ended //nolint:errcheck // its context has ended
		case <-r.wake:
			cancel()
			<-ended //nolint:errcheck // its context has ended
		case err := <-ended:
			cancel()
			r.fail(err)
			r.restartAfter(rke2RestartDelay)
		}
	}
}

func (r *rke2Service) restartAfter(d time.Duration) {
	timer := r.a.c.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.ctx.Done():
	case <-r.wake:
	case <-timer.C():
	}
}

func (r *rke2Service) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problem = ""
	if err != nil {
		r.problem = err.Error()
		r.a.logf("rke2: %v", err)
	}
}

// once is one run of the service, until ctx ends or it fails.
func (r *rke2Service) once(ctx context.Context, boot bool) error {
	config, err := r.a.fs.rke2Config()
	if err != nil {
		return err
	}
	if r.a.c.Roles.Server() {
		if err := r.a.writeServerFiles(); err != nil {
			return err
		}
	}
	if !boot && !wait(ctx, r.a.c.Clock, r.a.down(Kubelet)) {
		return nil
	}
	version, err := r.a.release()
	if err != nil {
		return err
	}
	name := Name(ctx, config, r.a.c.Facts, version)
	rendering, err := Render(config, r.a.c.Facts, name, version)
	if err != nil {
		return err
	}
	if err := r.a.writeAgentFiles(name); err != nil {
		return fmt.Errorf("machine %s: laying down the agent's files: %w", r.a.c.Name, err)
	}
	r.fail(nil)
	r.a.logf("rke2: node-name %s, built-in cloud controller %t", name, rendering.BuiltInCCM)
	if r.a.c.Real != nil {
		return r.superviseReal(ctx, config, rendering)
	}
	r.superviseKubelet(ctx, config, rendering)
	return nil
}

// superviseKubelet runs the kubelet, and restarts it when it exits or is killed.
func (r *rke2Service) superviseKubelet(ctx context.Context, config RKE2Config, rendering Rendering) {
	for ctx.Err() == nil {
		r.a.kubeletRuns.open() // another process
		k := &kubelet{a: r.a, s: r.s, config: config, rendering: rendering}
		r.setKubelet(k)
		run, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- k.run(run) }()
		pause := rke2RestartDelay
		select {
		case err := <-ended:
			if err != nil && ctx.Err() == nil {
				r.a.logf("kubelet exited: %v", err)
				k.fail(err)
			}
		case <-r.kubelet:
			cancel()
			<-ended //nolint:errcheck // its context has ended
			pause = max(pause, r.a.down(Kubelet))
		}
		cancel()
		if !wait(ctx, r.a.c.Clock, pause) {
			break
		}
	}
	r.setKubelet(nil)
}

func (r *rke2Service) setKubelet(k *kubelet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = k
}

func (r *rke2Service) status() (name, problem string) {
	name, problem = r.get().status()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.problem != "" {
		problem = r.problem
	}
	return name, problem
}

func (r *rke2Service) get() *kubelet {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}
