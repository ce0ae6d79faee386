package host

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// memory bounds the changed files of a host's root file system.
const memory = "size=2g"

// mount is a step on the way to the host's root.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

// setUpRoot gives the host a root of its own: this machine's file system with a layer in memory
// above it. Paths that programs share by name are replaced.
func (m Machine) setUpRoot() error {
	layers := m.in("root")
	root := filepath.Join(layers, "root")
	upper, work := filepath.Join(layers, "upper"), filepath.Join(layers, "work")
	if err := os.MkdirAll(layers, 0o755); err != nil {
		return err
	}
	if err := mountAll(
		mount{"", "/", "", syscall.MS_REC | syscall.MS_PRIVATE, ""},
		mount{"tmpfs", layers, "tmpfs", 0, memory},
	); err != nil {
		return err
	}
	for _, dir := range []string{root, upper, work} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := mountAll(mount{"overlay", root, "overlay", 0, "lowerdir=/,upperdir=" + upper + ",workdir=" + work}); err != nil {
		return err
	}
	if err := m.furnish(root); err != nil {
		return err
	}
	return enter(root)
}

// furnish mounts and writes what differs from this machine.
func (m Machine) furnish(root string) error {
	in := func(path string) string { return filepath.Join(root, path) }
	for path, text := range m.files() {
		if err := os.MkdirAll(filepath.Dir(in(path)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(in(path), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := mountAll(
		mount{"proc", in("/proc"), "proc", 0, ""},
		mount{"/sys", in("/sys"), "", syscall.MS_BIND | syscall.MS_REC, ""},
		mount{"/dev", in("/dev"), "", syscall.MS_BIND | syscall.MS_REC, ""},
		mount{"tmpfs", in("/run"), "tmpfs", 0, "mode=0755"},
		mount{"tmpfs", in("/tmp"), "tmpfs", 0, "mode=1777"},
	); err != nil {
		return err
	}
	type bind struct{ from, to string }
	binds := []bind{{m.Dir, m.Dir}, {m.Binaries, m.Binaries}, {m.disk("docker"), "/var/lib/docker"}, {m.disk("containerd"), "/var/lib/containerd"}}
	for _, path := range m.sharedPaths() {
		binds = append(binds, bind{m.shared(path), path})
	}
	for _, bound := range binds {
		if err := os.MkdirAll(in(bound.to), 0o755); err != nil {
			return err
		}
		if err := mountAll(mount{bound.from, in(bound.to), "", syscall.MS_BIND, ""}); err != nil {
			return err
		}
	}
	return os.Mkdir(in("/old"), 0o755)
}

// enter makes the folder the root. Mounts in it are shared, which kubelets need.
func enter(root string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := syscall.PivotRoot(".", "old"); err != nil {
		return fmt.Errorf("pivot_root to %s: %w", root, err)
	}
	if err := syscall.Unmount("/old", syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount the old root: %w", err)
	}
	if err := mountAll(mount{"", "/", "", syscall.MS_REC | syscall.MS_SHARED, ""}); err != nil {
		return err
	}
	if err := os.Mkdir("/run/sshd", 0o755); err != nil {
		return err
	}
	return os.Chdir("/")
}

func mountAll(all ...mount) error {
	for _, one := range all {
		if err := syscall.Mount(one.source, one.target, one.kind, one.flags, one.data); err != nil {
			return fmt.Errorf("mount %s %s on %s: %w", one.kind, one.source, one.target, err)
		}
	}
	return nil
}
