package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// leaveMounts gives the thread its own mounts, which no other process sees.
func leaveMounts() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
}

// mount mounts everything at its place in the container, below its root.
func (s Spec) mount() error {
	if err := unix.Mount(s.Root, s.Root, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%s: %w", s.Root, err)
	}
	all := append([]Mount{{Source: "/proc", Target: "/proc"}}, s.Mounts...)
	for _, device := range []string{"null", "zero", "full", "random", "urandom"} {
		all = append(all, Mount{Source: "/dev/" + device, Target: "/dev/" + device})
	}
	for _, m := range all {
		if err := s.bind(m); err != nil {
			return fmt.Errorf("%s at %s: %w", m.Source, m.Target, err)
		}
	}
	if s.ReadOnly {
		return unix.Mount("", s.Root, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	return nil
}

func (s Spec) bind(m Mount) error {
	if err := s.mountPoint(m); err != nil {
		return err
	}
	at := filepath.Join(s.Root, m.Target)
	if err := unix.Mount(m.Source, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil || !m.ReadOnly {
		return err
	}
	return unix.Mount("", at, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

// mountPoint creates the target of a mount. A link in the image never leads out of the image.
func (s Spec) mountPoint(m Mount) error {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	source, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	inside := strings.TrimPrefix(m.Target, "/")
	if source.IsDir() {
		return root.MkdirAll(inside, 0o755)
	}
	if err := root.MkdirAll(filepath.Dir(inside), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(inside, os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

// enter makes the root the only file system.
func (s Spec) enter() error {
	if err := unix.Chdir(s.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return unix.Chdir(s.Dir)
}
