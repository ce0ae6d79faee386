package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Clean removes what hosts of the lab in the folder left on this machine after their end: the
// network, images and containers, cgroups and kernel settings. A folder that never had hosts needs
// nothing.
func Clean(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, originalFile)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	disks, err := filepath.Glob(filepath.Join(dir, "nodes", "*", "disk"))
	failed := []error{err, closeNetwork(ctx), os.RemoveAll(filepath.Join(dir, imageDir))}
	for _, disk := range disks {
		failed = append(failed, os.RemoveAll(disk))
	}
	return errors.Join(append(failed, restoreOriginal(ctx, dir))...)
}

// removeCgroup removes a cgroup and its descendants. Their processes have ended, but a cgroup may
// stay busy for a moment.
func removeCgroup(ctx context.Context, root string) error {
	var failed []error
	for _, path := range below(root) {
		failed = append(failed, removeOne(ctx, path))
	}
	return errors.Join(failed...)
}

// below returns a cgroup and its descendants, children first.
func below(root string) []string {
	var all []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			all = append(all, path)
		}
		return nil // a missing one needs no removal
	})
	slices.Reverse(all)
	return all
}

// busyTimeout bounds the time in which a cgroup stays busy after the end of its processes.
const busyTimeout = 10 * time.Second

func removeOne(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := os.Remove(path)
		switch {
		case err == nil || errors.Is(err, os.ErrNotExist):
			return nil
		case !errors.Is(err, syscall.EBUSY):
			return fmt.Errorf("remove cgroup %s: %w", path, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("remove cgroup %s, do it by hand: %w", path, err)
		}
	}
}
