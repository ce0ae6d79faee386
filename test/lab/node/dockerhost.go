package node

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// dockerHost is a machine as rke sees it: reachable while it is on.
type dockerHost struct{ a *Agent }

var _ docker.Host = dockerHost{}

// Docker returns the machine as rke reaches it.
func (a *Agent) Docker() docker.Host { return dockerHost{a} }

func (h dockerHost) daemon() (*dockerd, error) {
	h.a.mu.Lock()
	defer h.a.mu.Unlock()
	if h.a.session == nil || h.a.session.docker == nil || !h.a.on {
		return nil, fmt.Errorf("%w: dial tcp %s:22: connect: connection timed out", docker.ErrUnreachable, h.a.c.IP)
	}
	return h.a.session.docker, nil
}

// with changes a container under the lock, and saves the result.
func (h dockerHost) with(name string, do func(d *dockerd, c *dockerContainer) error) error {
	d, err := h.daemon()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.containers[name]
	if c == nil {
		return fmt.Errorf("%w: %s", docker.ErrNotFound, name)
	}
	if err := do(d, c); err != nil {
		return err
	}
	return d.save()
}

func (h dockerHost) Ping(context.Context) error {
	_, err := h.daemon()
	return err
}

func (h dockerHost) Inspect(_ context.Context, name string) (docker.Container, error) {
	var out docker.Container
	return out, h.with(name, func(_ *dockerd, c *dockerContainer) error {
		out = docker.Container{Spec: c.Spec, Running: c.stop != nil}
		return nil
	})
}

func (h dockerHost) Create(_ context.Context, name string, spec docker.Spec) error {
	d, err := h.daemon()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.containers[name] != nil {
		return fmt.Errorf("conflict: the container name %q is already in use", "/"+name)
	}
	d.containers[name] = &dockerContainer{Spec: spec}
	return d.save()
}

func (h dockerHost) Start(_ context.Context, name string) error {
	return h.with(name, func(d *dockerd, c *dockerContainer) error {
		if c.stop != nil {
			return nil
		}
		delay := d.a.down(name)
		if !d.ran[name] {
			delay = 0
		}
		d.ran[name] = true
		d.a.logf("docker: starting %s", name)
		d.run(name, delay)
		return nil
	})
}

func (h dockerHost) Stop(_ context.Context, name string) error {
	var stop func()
	err := h.with(name, func(d *dockerd, c *dockerContainer) error {
		stop, c.stop = c.stop, nil
		d.ran[name] = true
		return nil
	})
	if err != nil {
		return err
	}
	if stop != nil {
		h.a.logf("docker: stopping %s", name)
		stop()
	}
	return nil
}

func (h dockerHost) Rename(_ context.Context, name, to string) error {
	return h.with(name, func(d *dockerd, c *dockerContainer) error {
		if d.containers[to] != nil {
			return fmt.Errorf("conflict: the container name %q is already in use", "/"+to)
		}
		delete(d.containers, name)
		d.containers[to] = c
		return nil
	})
}

func (h dockerHost) Remove(ctx context.Context, name string) error {
	if err := h.Stop(ctx, name); errors.Is(err, docker.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return h.with(name, func(d *dockerd, _ *dockerContainer) error {
		delete(d.containers, name)
		return nil
	})
}

func (h dockerHost) WriteFile(_ context.Context, path string, content []byte) error {
	if _, err := h.daemon(); err != nil {
		return err
	}
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("%q is no absolute path", path)
	}
	return h.a.fs.write(path, content)
}

// Healthy requests a component's health endpoint once. A kubelet is healthy while it serves.
func (h dockerHost) Healthy(ctx context.Context, name string) error {
	d, err := h.daemon()
	if err != nil {
		return err
	}
	switch name {
	case Kubelet:
		return kubeletHealth(d.kubelet())
	case KubeAPIServer, KubeControllerManager, KubeScheduler:
		return d.healthCheck(name)(ctx)
	case kubeProxy:
		return d.proxyHealth()
	}
	return nil // a stand-in for a process is healthy
}

// proxyHealth refuses the first question after a start: rke asks at once, and a real kube-proxy has
// never served by then (seen with rke v1.5.9).
func (d *dockerd) proxyHealth() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.containers[kubeProxy]
	switch {
	case c == nil:
		return docker.ErrNotFound
	case !c.asked:
		c.asked = true
		return fmt.Errorf("%s", `Get "http://localhost:10256/healthz": dial tcp 127.0.0.1:10256: connect: connection refused`)
	}
	return nil
}

// kubeletHealth returns an error unless a kubelet serves. The error ends with the kubelet's own last line.
func kubeletHealth(k *kubelet) error {
	const noAnswer = "Get \"http://localhost:10248/healthz\": EOF"
	if k == nil {
		return fmt.Errorf("%s", noAnswer)
	}
	if k.healthy.Load() {
		return nil
	}
	if _, problem := k.status(); problem != "" {
		return fmt.Errorf("%s; the kubelet exited: %s", noAnswer, problem)
	}
	return fmt.Errorf("%s", noAnswer)
}
