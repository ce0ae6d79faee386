package apiserver

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a component that ends with this program.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// startProcess starts a program and appends its output to the file log.
func startProcess(log, path string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.SysProcAttr = out, out, diesWithParent()
	started := make(chan error, 1)
	go func() {
		// Linux sends the parent-death signal when the starting thread ends. The thread is
		// never unlocked, so it ends with this goroutine.
		runtime.LockOSThread()
		defer close(p.done)
		defer out.Close()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // cmd.ProcessState holds the result
		}
	}()
	return p, <-started
}

// stop sends SIGTERM, then SIGKILL after grace, and returns when the process has ended.
func (p *process) stop(grace time.Duration) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}
