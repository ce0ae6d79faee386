package apiserver

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a component that does not outlive this program.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// startProcess appends what the program prints to the file log.
func startProcess(log, path string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.SysProcAttr = out, out, diesWithParent()
	started := make(chan error, 1)
	go func() {
		// Linux sends the parent-death signal when the thread ends that started the
		// process. Never unlocked, the thread ends with this goroutine.
		runtime.LockOSThread()
		defer close(p.done)
		defer out.Close()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // cmd.ProcessState says how it ended
		}
	}()
	return p, <-started
}

// stop sends SIGTERM, after grace SIGKILL, and returns when the process has ended.
func (p *process) stop(grace time.Duration) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}
