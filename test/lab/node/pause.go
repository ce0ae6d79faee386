package node

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// pause is a container that only runs. It needs no process, so thousands cost nothing.
type pause struct {
	once sync.Once
	done chan struct{}
	code int
}

func newPause() *pause { return &pause{done: make(chan struct{})} }

func (p *pause) Pid() int              { return 0 }
func (p *pause) Done() <-chan struct{} { return p.done }
func (p *pause) ExitCode() int         { return p.code }

// Signal ends it, unless the signal freezes or thaws.
func (p *pause) Signal(sig os.Signal) error {
	if sig == syscall.SIGSTOP || sig == syscall.SIGCONT {
		return nil
	}
	p.end(137)
	return nil
}

// Stop ends it like a program that obeys SIGTERM.
func (p *pause) Stop(time.Duration) { p.end(0) }

func (p *pause) end(code int) {
	p.once.Do(func() {
		p.code = code
		close(p.done)
	})
}
