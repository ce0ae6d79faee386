// Package apart runs a trial on real components in namespaces of its own. It is for tests that
// need root and are run by hand.
package apart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// Trial describes a trial.
type Trial struct {
	What string // "a real kubelet"
	// Missing returns an error that lists this machine's missing requirements and their fixes, or nil.
	Missing func() error
	// Isolate reports whether this process is the one in the namespaces. Otherwise it runs that
	// one, and returns its exit code.
	Isolate func(context.Context) (code int, isolated bool, err error)
}

// Main runs the tests of a trial, and returns the exit code.
func Main(m *testing.M, t Trial) int {
	if err := t.Missing(); err != nil {
		fmt.Fprintln(os.Stderr, t.What+" cannot run here:\n"+err.Error())
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, isolated, err := t.Isolate(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "isolating "+t.What+":", err)
		return max(code, 1)
	}
	if isolated {
		return m.Run()
	}
	return code
}

// Again runs this program again in new namespaces, with a variable that marks it, and returns its
// exit code.
func Again(ctx context.Context, mark string, namespaces uintptr) (code int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 1, fmt.Errorf("find this program, to start it in namespaces of its own: %w", err)
	}
	again := exec.CommandContext(ctx, self, os.Args[1:]...)
	again.Env = append(os.Environ(), mark+"=1")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the death signal is sent when the starting thread ends
	defer runtime.UnlockOSThread()
	err = again.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil // a signal must not look like success
	}
	return code, err
}

// Binary returns the path of a program among the lab's binaries, which a make target builds.
func Binary(name, target string) (string, error) {
	dir, err := apiserver.Binaries()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("find %s among the lab's binaries: %w; `make %s` builds it", name, err, target)
	}
	return path, nil
}
