package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// LockMachine refuses to share this machine with other real kubelets: each would take the kernel
// settings of the others for the original ones. The lock ends with the file or the process.
func LockMachine() (*os.File, error) {
	return lockFile(filepath.Join(os.TempDir(), "awsmigrate-real-kubelet.lock"))
}

func lockFile(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock out other real kubelets: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w; other real kubelets run on this machine, wait for their end", path, err), lock.Close())
	}
	return lock, nil
}
