package realkubelet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
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
// namespace, but a cgroup may stay busy for a moment.
func removeCgroups(before map[string]bool) error {
	now, err := parentCgroups()
	if err != nil {
		return err
	}
	var failed []error
	for root := range now {
		if before[root] {
			continue // another containerd may use it
		}
		for _, path := range listBelow(root) {
			if err := removeCgroup(path); err != nil {
				failed = append(failed, fmt.Errorf("remove cgroup %s, do it by hand: %w", path, err))
			}
		}
	}
	return errors.Join(failed...)
}

// listBelow returns a cgroup and its descendants, children first.
func listBelow(root string) []string {
	var all []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			all = append(all, path)
		}
		return nil // missing cgroups need no removal
	})
	slices.Reverse(all)
	return all
}

func removeCgroup(path string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for {
		err := os.Remove(path)
		switch {
		case err == nil || errors.Is(err, os.ErrNotExist):
			return nil
		case !errors.Is(err, syscall.EBUSY):
			return err
		}
		select {
		case <-tick.C:
		case <-deadline:
			return err
		}
	}
}
