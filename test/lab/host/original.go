package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// originalFile, in the lab's folder, has the state of this machine before the lab.
const originalFile = "machine-before.json"

// Original is the state of a machine before real kubelets and container runtimes changed it.
type Original struct {
	Settings map[string]string `json:"settings"` // of the kernel, by path below /proc/sys
	Cgroups  []string          `json:"cgroups"`  // existing parents of containers' cgroups
}

// ReadOriginal reads the settings that a kubelet changes for the whole machine
// (kubernetes/kubernetes:pkg/kubelet/cm/container_manager_linux.go@v1.26.13, setupKernelTunables),
// and which cgroups exist.
func ReadOriginal() (Original, error) {
	o := Original{Settings: map[string]string{}}
	for _, name := range []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"} {
		raw, err := os.ReadFile("/proc/sys/" + name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return o, fmt.Errorf("read a kernel setting that kubelets change: %w", err)
		}
		o.Settings[name] = strings.TrimSpace(string(raw))
	}
	var err error
	o.Cgroups, err = containerCgroups()
	return o, err
}

// containerCgroups returns the parents of the hosts' and of containerd's containers, one in each
// hierarchy. A kubelet without cgroups for pods names no parent, so containerd uses its namespace's
// name.
func containerCgroups() ([]string, error) {
	var all []string
	for _, name := range []string{cgroup, "/k8s.io"} {
		for _, pattern := range []string{"/sys/fs/cgroup" + name, "/sys/fs/cgroup/*" + name} { // v2, v1
			paths, err := filepath.Glob(pattern)
			if err != nil {
				return nil, fmt.Errorf("find the containers' cgroups: %w", err)
			}
			all = append(all, paths...)
		}
	}
	return all, nil
}

// Restore sets the settings back, and removes the cgroups that did not exist; another container
// runtime may use the others. The containers must have ended.
func (o Original) Restore(ctx context.Context) error {
	var failed []error
	for name, value := range o.Settings {
		if err := os.WriteFile("/proc/sys/"+name, []byte(value), 0o644); err != nil {
			failed = append(failed, fmt.Errorf("set /proc/sys/%s back to %s, do it by hand: %w", name, value, err))
		}
	}
	now, err := containerCgroups()
	failed = append(failed, err)
	for _, root := range now {
		if !slices.Contains(o.Cgroups, root) {
			failed = append(failed, removeCgroup(ctx, root))
		}
	}
	return errors.Join(failed...)
}

// saveOriginal writes the state to the lab's folder, so that it outlives a crash.
func saveOriginal(dir string) error {
	o, err := ReadOriginal()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, originalFile), raw, 0o644)
}

// restoreOriginal restores the saved state, once.
func restoreOriginal(ctx context.Context, dir string) error {
	path := filepath.Join(dir, originalFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var o Original
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := o.Restore(ctx); err != nil {
		return err
	}
	return os.Remove(path)
}
