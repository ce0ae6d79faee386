package realkubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// inside marks the process that has namespaces of its own.
const inside = "AWSMIGRATE_REAL_KUBELET_INSIDE"

// Place is where everything of the machine lies: on a tmpfs of its own, at a path that is
// short enough for sockets.
const Place = "/run/realkubelet"

// Isolate starts this program once more, in a mount and a PID namespace of its own, and gives
// its exit code. Whatever is mounted or started there ends with it, containers included. In
// there it prepares the mounts, and isolated is true. It ends when ctx does, and puts back what
// it changed outside.
func Isolate(ctx context.Context) (code int, isolated bool, err error) {
	if os.Getenv(inside) != "" {
		return 0, true, mounts()
	}
	alone, err := only()
	if err != nil {
		return 1, false, err
	}
	defer alone.Close()
	tunables, err := readTunables()
	if err != nil {
		return 1, false, err
	}
	before, err := parentCgroups()
	if err != nil {
		return 1, false, err
	}
	self, err := os.Executable()
	if err != nil {
		return 1, false, fmt.Errorf("find this program, to start it in namespaces of its own: %w", err)
	}
	again := exec.CommandContext(ctx, self, os.Args[1:]...)
	again.Env = append(os.Environ(), inside+"=1")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the death signal is sent when the thread ends that started it
	defer runtime.UnlockOSThread()
	err = again.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = max(exit.ExitCode(), 1), nil // a signal is no success
	}
	return code, false, errors.Join(err, tunables.restore(), removeCgroups(before))
}

// only refuses a second machine beside this one: each would take what the other's kubelet set
// in the kernel for what was there before.
func only() (*os.File, error) {
	path := filepath.Join(os.TempDir(), "awsmigrate-real-kubelet.lock")
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock out other real kubelets: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w; another real kubelet runs on this machine, wait for its end", path, err), lock.Close())
	}
	return lock, nil
}

// mounts hides what kubelet and containerd write to fixed paths: /run/containerd,
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

// tunables are settings of the kernel, by path below /proc/sys.
type tunables map[string]string

// readTunables reads those that a kubelet sets for the whole machine
// (kubernetes/kubernetes:pkg/kubelet/cm/container_manager_linux.go@v1.26.13, setupKernelTunables).
func readTunables() (tunables, error) {
	all := tunables{}
	for _, name := range []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"} {
		raw, err := os.ReadFile("/proc/sys/" + name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read what the kubelet will set: %w", err)
		}
		all[name] = strings.TrimSpace(string(raw))
	}
	return all, nil
}

func (t tunables) restore() error {
	var failed []error
	for name, value := range t {
		if err := os.WriteFile("/proc/sys/"+name, []byte(value), 0o644); err != nil {
			failed = append(failed, fmt.Errorf("set /proc/sys/%s back to %s, do it by hand: %w", name, value, err))
		}
	}
	return errors.Join(failed...)
}
