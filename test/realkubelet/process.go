package realkubelet

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// stopTimeout is the time that a program has to end by SIGTERM.
const stopTimeout = 10 * time.Second

// program is a program of the machine that can be stopped and restarted. Its output is appended to
// one log.
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
	defer out.Close() // the child has a copy
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.path, err)
	}
	done, cmd := make(chan struct{}), p.cmd
	p.done = done
	go func() {
		defer close(done)
		_ = cmd.Wait() // stopped on purpose; an unexpected end shows by missing effects
	}()
	return nil
}

// stop ends the program as a service manager does, and returns when it has ended.
func (p *program) stop() {
	if p.cmd == nil {
		return
	}
	p.signal(syscall.SIGCONT) // a frozen process ignores SIGTERM
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.signal(syscall.SIGKILL)
		<-p.done
	}
}

// signal sends a signal; an ended program ignores it.
func (p *program) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }
