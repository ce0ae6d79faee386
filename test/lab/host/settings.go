package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// settingsFile, in the lab's folder, has the kernel settings before the lab.
const settingsFile = "kernel-settings.json"

// Settings are kernel settings by path below /proc/sys.
type Settings map[string]string

// ReadSettings reads the settings that a kubelet changes for the whole machine
// (kubernetes/kubernetes:pkg/kubelet/cm/container_manager_linux.go@v1.26.13, setupKernelTunables).
func ReadSettings() (Settings, error) {
	all := Settings{}
	for _, name := range []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"} {
		raw, err := os.ReadFile("/proc/sys/" + name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a kernel setting that kubelets change: %w", err)
		}
		all[name] = strings.TrimSpace(string(raw))
	}
	return all, nil
}

// saveSettings writes them to the lab's folder, so that they outlive a crash.
func saveSettings(dir string) error {
	all, err := ReadSettings()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, settingsFile), raw, 0o644)
}

// restoreSettings sets them back, once.
func restoreSettings(dir string) error {
	path := filepath.Join(dir, settingsFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all Settings
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return errors.Join(all.Restore(), os.Remove(path))
}

// Restore sets the settings back.
func (s Settings) Restore() error {
	var failed []error
	for name, value := range s {
		if err := os.WriteFile("/proc/sys/"+name, []byte(value), 0o644); err != nil {
			failed = append(failed, fmt.Errorf("set /proc/sys/%s back to %s, do it by hand: %w", name, value, err))
		}
	}
	return errors.Join(failed...)
}
