package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// notice is what reaches a process from outside.
type notice int

const (
	// interrupt is SIGINT: somebody's Ctrl-C.
	interrupt notice = iota
	// terminate is SIGTERM.
	terminate
	// hangUp is SIGHUP, or a terminal or pipe that takes no more output.
	hangUp
)

// phase is how far a run has been asked to end. The zero value is a run that works
// and is watched.
type phase struct {
	unwatched bool // nobody sees it any more
	asking    bool // somebody is asked what is to become of what was begun
	stopping  bool // it finishes the current action, then ends
	leaving   bool // it ends at once
}

// action is what is done about a notice.
type action int

const (
	ignore action = iota
	// goUnwatched moves the output to the log file and begins no further step.
	goUnwatched
	// askFirst asks what is to become of what others go on with.
	askFirst
	// stopCleanly finishes the current action, records and gives the lock back.
	stopCleanly
	// leaveAtOnce ends everything; the lock expires by itself.
	leaveAtOnce
)

// on decides about a notice; asks says that somebody can be asked, and that there is
// something to ask about. A hang-up never counts as an interrupt: losing a
// terminal is no wish to leave a control plane alone half way, and a shell
// that ends sends more than one.
func (p phase) on(n notice, asks bool) (phase, action) {
	switch {
	case p.leaving:
		return p, ignore
	case n == hangUp && p.unwatched:
		return p, ignore
	case n == hangUp:
		p.unwatched, p.asking = true, false
		return p, goUnwatched
	case n == interrupt && asks && !p.stopping && !p.asking && !p.unwatched:
		p.asking = true
		return p, askFirst
	case p.stopping:
		p.leaving = true
		return p, leaveAtOnce
	}
	p.stopping, p.asking = true, false
	return p, stopCleanly
}

// signals carries out what phase decides.
type signals struct {
	interrupts chan struct{} // closed by the first interrupt
	hangUps    chan struct{} // closed by the first hang-up
	brakes     chan struct{} // closed where somebody asks for the brake
	cancel     context.CancelFunc
	wanted     chan os.Signal // SIGINT, SIGTERM
	lines      chan os.Signal // SIGHUP, SIGPIPE

	mu      sync.Mutex
	phase   phase
	open    chan struct{} // closed once the question that stands does no more; nil: none does
	parting *parting      // whom to ask; nil: nobody
	lastSay func()        // moves the output, before anybody learns that nobody watches
}

// watchSignals gives two stages: the first SIGINT or SIGTERM closes interrupts, so
// that a run finishes the current action, records and releases its lock; the
// second cancels the context. A third is not caught any more and ends the process,
// whatever it waits for. A hang-up ends every command at once but those that
// called outlive.
func watchSignals(parent context.Context) (context.Context, *signals, func()) {
	ctx, cancel := context.WithCancel(parent)
	s := &signals{interrupts: make(chan struct{}), hangUps: make(chan struct{}), brakes: make(chan struct{}), cancel: cancel,
		wanted: make(chan os.Signal, 2), lines: make(chan os.Signal, 2)}
	signal.Notify(s.wanted, os.Interrupt, syscall.SIGTERM)
	go s.attend(ctx.Done())
	return ctx, s, func() {
		signal.Stop(s.wanted)
		signal.Stop(s.lines)
		cancel()
	}
}

func (s *signals) attend(done <-chan struct{}) {
	for {
		select {
		case got := <-s.wanted:
			if got == os.Interrupt {
				s.notice(interrupt)
			} else {
				s.notice(terminate)
			}
		case got := <-s.lines:
			if got == syscall.SIGHUP { // SIGPIPE comes with an error of the write
				s.notice(hangUp)
			}
		case <-done:
			return
		}
	}
}

// outlive takes a hang-up as the end of being watched and not of the process. One
// that was ignored at the start, as by nohup, stays ignored.
func (s *signals) outlive(lastSay func()) {
	s.mu.Lock()
	s.lastSay = lastSay
	s.mu.Unlock()
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(s.lines, syscall.SIGHUP)
	}
	signal.Notify(s.lines, syscall.SIGPIPE) // else a write to a broken pipe ends the process
}

func (s *signals) notice(n notice) {
	s.mu.Lock()
	var do action
	s.phase, do = s.phase.on(n, s.parting.asks())
	lastSay := s.lastSay
	if do == askFirst {
		s.open = make(chan struct{})
		s.parting.asking.Go(func() { s.parting.ask(s) })
	}
	s.mu.Unlock()
	switch do {
	case ignore, askFirst:
	case goUnwatched:
		if lastSay != nil {
			lastSay()
		}
		close(s.hangUps)
	case stopCleanly:
		close(s.interrupts)
	case leaveAtOnce:
		signal.Stop(s.wanted)
		s.cancel()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
}

// answered carries out what somebody answered who was asked. An answer that comes after
// another interrupt or a hang-up counts no more.
func (s *signals) answered(with answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.phase.asking {
		return
	}
	s.phase.asking = false
	defer s.settle()
	switch with {
	case goOn:
	case brakeNow:
		s.phase.stopping = true
		close(s.brakes)
	case leave:
		s.phase.stopping = true
		close(s.interrupts)
	}
}

// settle lets go on who waits for an answer, once none is waited for and what follows from
// it is done: who goes on must find that it was interrupted. s.mu is held.
func (s *signals) settle() {
	if s.open != nil && !s.phase.asking {
		close(s.open)
		s.open = nil
	}
}

// untilAnswered waits while a question stands: who was asked whether to go on finds no
// further step begun.
func (s *signals) untilAnswered(ctx context.Context, _ runner.Info) error {
	s.mu.Lock()
	open := s.open
	s.mu.Unlock()
	if open == nil {
		return nil
	}
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hungUp says whether nobody watches any more.
func (s *signals) hungUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase.unwatched
}

// untilInterrupted is ctx, ended by the first interrupt: for a command that only looks, of
// which nothing is half done.
func (a *app) untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	looking, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-a.interrupts:
			stop()
		case <-looking.Done():
		}
	}()
	return looking, stop
}
