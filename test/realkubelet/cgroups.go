package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/test/lab/host"
)

// parentCgroups returns the parents of containerd's container cgroups, one in each hierarchy. A
// kubelet without cgroups for pods names no parent, so containerd uses its namespace's name.
func parentCgroups() (map[string]bool, error) {
	found := map[string]bool{}
	for _, pattern := range []string{"/sys/fs/cgroup/k8s.io", "/sys/fs/cgroup/*/k8s.io"} { // v2, v1
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("find the containers' cgroups: %w", err)
		}
		for _, path := range paths {
			found[path] = true
		}
	}
	return found, nil
}

// removeCgroups removes the cgroups that are not in before. Their processes ended with the PID
// namespace.
func removeCgroups(ctx context.Context, before map[string]bool) error {
	now, err := parentCgroups()
	if err != nil {
		return err
	}
	var failed []error
	for root := range now {
		if !before[root] { // another containerd may use the others
			failed = append(failed, host.RemoveCgroup(ctx, root))
		}
	}
	return errors.Join(failed...)
}
