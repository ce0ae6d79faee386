package rke

import (
	"context"
	"errors"
	"fmt"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// hasChanged reports whether one of the containers differs from the plan or is missing. A plan
// without nginx-proxy means that the host has no nginx-proxy.
func (r *run) hasChanged(ctx context.Context, h *Host, plan map[string]docker.Spec, names ...string) (bool, error) {
	for _, name := range names {
		spec, planned := plan[name]
		if !planned {
			continue
		}
		found, err := r.hosts[h.Address].Inspect(ctx, name)
		if errors.Is(err, docker.ErrNotFound) {
			r.Log.debugf("Host %v is upgradable because %v needs to run", h.HostnameOverride, name)
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !sameSpec(found.Spec, spec) {
			r.Log.debugf("Host %v is upgradable because %v has changed", h.HostnameOverride, name)
			return true, nil
		}
	}
	return false, nil
}

// component runs a container and waits until it is healthy.
func (r *run) component(ctx context.Context, h *Host, name string, spec docker.Spec, plane string) error {
	if err := r.container(ctx, h, name, spec, plane); err != nil {
		return err
	}
	if name == nginxProxy {
		return nil
	}
	return r.healthcheck(ctx, h, name)
}

// container makes a container match the plan. It is created, started, or replaced by stopping,
// renaming, creating, starting and removing, in this order. A killed rke leaves the state
// between any two of these actions, and a second run does not repair all of them: a stopped
// container is started unchanged, one that was created and not started is ignored, and an old
// one remains until the next change (rancher/rke:docker/docker.go DoRunContainer,
// IsContainerUpgradable@v1.5.10).
func (r *run) container(ctx context.Context, h *Host, name string, spec docker.Spec, plane string) error {
	host := r.hosts[h.Address]
	found, err := host.Inspect(ctx, name)
	switch {
	case errors.Is(err, docker.ErrNotFound):
		if err := r.create(ctx, host, h, name, spec); err != nil {
			return err
		}
		r.Log.infof("[%s] Successfully started [%s] container on host [%s]", plane, name, h.Address)
		return nil
	case err != nil:
		return err
	case !found.Running:
		r.Log.infof("[%s] Starting stopped container [%s] on host [%s]", plane, name, h.Address)
		return host.Start(ctx, name)
	case sameSpec(found.Spec, spec):
		return nil
	}
	old := "old-" + name
	if err := host.Remove(ctx, old); err != nil { // left by a run that did not end
		return err
	}
	if err := host.Stop(ctx, name); err != nil {
		return err
	}
	if err := host.Rename(ctx, name, old); err != nil {
		return err
	}
	if err := r.create(ctx, host, h, name, spec); err != nil {
		return err
	}
	r.Log.infof("[%s] Successfully updated [%s] container on host [%s]", plane, name, h.Address)
	return host.Remove(ctx, old)
}

func (r *run) create(ctx context.Context, host docker.Host, h *Host, name string, spec docker.Spec) error {
	if err := host.Create(ctx, name, spec); err != nil {
		return fmt.Errorf("Failed to create [%s] container on host [%s]: %w", name, h.Address, err) //nolint:staticcheck // rke's words
	}
	if err := host.Start(ctx, name); err != nil {
		return fmt.Errorf("Failed to start [%s] container on host [%s]: %w", name, h.Address, err) //nolint:staticcheck // rke's words
	}
	return nil
}

// sidekick only creates the container and never starts it: others use its files.
func (r *run) sidekick(ctx context.Context, h *Host, spec docker.Spec) error {
	host := r.hosts[h.Address]
	found, err := host.Inspect(ctx, sidekick)
	switch {
	case err == nil && sameSpec(found.Spec, spec):
		r.Log.infof("[sidekick] Sidekick container already created on host [%s]", h.Address)
		return nil
	case err == nil:
		if err := host.Remove(ctx, sidekick); err != nil {
			return err
		}
	case !errors.Is(err, docker.ErrNotFound):
		return err
	}
	return host.Create(ctx, sidekick, spec)
}

func (r *run) healthcheck(ctx context.Context, h *Host, name string) error {
	r.Log.infof("[healthcheck] Start Healthcheck on service [%s] on host [%s]", name, h.Address)
	var err error
	times := r.HealthAttempts
	if times == 0 {
		times = healthAttempts
	}
	for range times {
		if err = r.hosts[h.Address].Healthy(ctx, name); err == nil {
			r.Log.infof("[healthcheck] service [%s] on host [%s] is healthy", name, h.Address)
			return nil
		}
		r.Log.debugf("[healthcheck] %v", err)
		if !r.wait(ctx) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("Failed to verify healthcheck: %w", err) //nolint:staticcheck // rke's words
}
