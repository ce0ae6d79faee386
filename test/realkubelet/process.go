package realkubelet

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// grace is how long a program may take to end by SIGTERM.
const grace = 10 * time.Second

// program is a program of the machine that is started, stopped and started again. What it
// prints is appended to one log.
type program struct {
	path string
	args []string
	log  string

	cmd  *exec.Cmd
	done chan struct{}
}

func (p *program) start() error {
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the log of %s: %w", p.path, err)
	}
	defer out.Close() // the child has its own
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.path, err)
	}
	done, cmd := make(chan struct{}), p.cmd
	p.done = done
	go func() {
		defer close(done)
		_ = cmd.Wait() // stopped on purpose; one that ends by itself is seen by what it no longer does
	}()
	return nil
}

// stop ends it as a service manager does, and returns when it has ended.
func (p *program) stop() {
	if p.cmd == nil {
		return
	}
	p.signal(syscall.SIGCONT) // a frozen one takes no SIGTERM
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.signal(syscall.SIGKILL)
		<-p.done
	}
}

// signal sends a signal to it; one that has ended takes none.
func (p *program) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }
