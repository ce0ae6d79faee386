package cluster

import (
	"context"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// restartDelay is RestartSec of RKE2's unit files.
const restartDelay = 5 * time.Second

// startHelmController runs RKE2's helm controller, which is a part of its supervisor there. If it
// ends, it is started again.
func (l *Lab) startHelmController(ctx context.Context, parts *errgroup.Group) error {
	const name = "helm-controller"
	spec := proc.Spec{
		Name: name, Kind: name, Path: filepath.Join(l.binaries, name), Log: l.files.Log(name),
		Args: []string{"--kubeconfig", l.files.Kubeconfig("downstream")},
	}
	parts.Go(func() error {
		for {
			process, err := l.supervisor.Start(spec)
			if ctx.Err() != nil {
				return nil //nolint:nilerr // the lab ends
			}
			if err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return nil
			case <-process.Done():
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(restartDelay):
			}
		}
	})
	return nil
}

// waitHelmController waits for the kinds of the helm controller, which it creates: a reset deletes
// what is newer than the lab's boot. RKE has none.
func (l *Lab) waitHelmController(ctx context.Context) error {
	if l.options.Distro != RKE2 {
		return nil
	}
	return poll(ctx, 250*time.Millisecond, "the kinds of the helm controller", func(context.Context) (bool, string, error) {
		_, err := l.down.Discovery().ServerResourcesForGroupVersion("helm.cattle.io/v1")
		return err == nil, "", err
	})
}
