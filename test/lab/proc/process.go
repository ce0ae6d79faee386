package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Process is a started process.
type Process struct {
	Spec    Spec
	Started time.Time

	process *os.Process
	foreign bool // others started it, and it has no exit code
	done    chan struct{}
	code    int
}

// Pid returns the process ID, also after the exit.
func (p *Process) Pid() int { return p.process.Pid }

// Done returns a channel that is closed when the process has exited and its exit is recorded.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running reports whether the process has not exited. A stopped process (SIGSTOP) is running.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// ExitCode is valid after Done. It is 128+n if signal n ended the process.
func (p *Process) ExitCode() int { return p.code }

// Signal sends a signal. It returns an error if the process has exited.
func (p *Process) Signal(sig os.Signal) error {
	if err := p.process.Signal(sig); err != nil {
		return fmt.Errorf("sending %v to %s (pid %d): %w", sig, p.Spec.Name, p.Pid(), err)
	}
	return nil
}

// Stop sends SIGTERM, after grace SIGKILL, and returns when the process has exited. A frozen
// process is thawed so that it gets the SIGTERM.
func (p *Process) Stop(grace time.Duration) {
	if grace > 0 && p.Signal(syscall.SIGTERM) == nil {
		_ = p.Signal(syscall.SIGCONT)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.done:
			return
		case <-timer.C:
		}
	}
	_ = p.Signal(syscall.SIGKILL) // only fails if it has exited
	<-p.done
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 1
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
