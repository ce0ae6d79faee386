package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/awsmigrate/awsmigrate/test/apart"
	"github.com/awsmigrate/awsmigrate/test/lab/host"
)

// inside marks the process with separate namespaces.
const inside = "AWSMIGRATE_REAL_KUBELET_INSIDE"

// Place is the folder of all the machine's files: a separate tmpfs with a path short enough for
// sockets.
const Place = "/run/realkubelet"

// Isolate runs this program again in new mount and PID namespaces, and returns its exit code. All
// mounts and processes in there end with it, including containers. In that second process it
// prepares the mounts and returns isolated as true. It ends when ctx does, and restores its
// changes outside.
func Isolate(ctx context.Context) (code int, isolated bool, err error) {
	if os.Getenv(inside) != "" {
		return 0, true, mounts()
	}
	alone, err := host.LockMachine()
	if err != nil {
		return 1, false, err
	}
	defer alone.Close()
	original, err := host.ReadOriginal()
	if err != nil {
		return 1, false, err
	}
	code, err = apart.Again(ctx, inside, syscall.CLONE_NEWNS|syscall.CLONE_NEWPID)
	return code, false, errors.Join(err, original.Restore(context.WithoutCancel(ctx)))
}

// mounts hides the fixed paths that kubelet and containerd write to: /run/containerd,
// /var/lib/kubelet, /var/log/pods and /var/log/containers.
func mounts() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to this namespace: %w", err)
	}
	if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc of this PID namespace: %w", err)
	}
	for _, path := range []string{"/run", "/var/lib", "/var/log"} {
		if err := syscall.Mount("tmpfs", path, "tmpfs", 0, "mode=0755"); err != nil {
			return fmt.Errorf("mount a tmpfs on %s: %w", path, err)
		}
	}
	if err := os.Mkdir(Place, 0o755); err != nil {
		return fmt.Errorf("make the machine's folder: %w", err)
	}
	return nil
}
