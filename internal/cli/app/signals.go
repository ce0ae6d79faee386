package app

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// notice is an event from outside the process.
type notice int

const (
	// interrupt is SIGINT, a user's Ctrl-C.
	interrupt notice = iota
	// terminate is SIGTERM.
	terminate
	// hangUp is SIGHUP, or a terminal or pipe that accepts no more output.
	hangUp
)

// phase describes how far a run was asked to end. The zero value is a run that works and is
// watched.
type phase struct {
	unwatched bool // the terminal is gone
	asking    bool // the user is asked about the rollout that began
	stopping  bool // it finishes the current action, then ends
	leaving   bool // it ends at once
}

// action is the response to a notice.
type action int

const (
	ignore action = iota
	// goUnwatched moves the output to the log file and begins no further step.
	goUnwatched
	// askFirst asks the user about the rollout that another program continues.
	askFirst
	// stopCleanly finishes the current action, records it and releases the lock.
	stopCleanly
	// leaveAtOnce ends everything; the lock expires later.
	leaveAtOnce
)

// on returns the response to a notice. asks reports whether there is a user and a question. A
// hang-up never counts as an interrupt: a lost terminal is no request to leave a control plane
// half changed, and an exiting shell sends several.
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

// Signals carries out the decisions of phase.
type Signals struct {
	interrupts    chan struct{} // closed by the first interrupt
	HangUps       chan struct{} // closed by the first hang-up
	PauseRequests chan struct{} // closed when the user asks to pause the rollout
	cancel        context.CancelFunc
	wanted        chan os.Signal // SIGINT, SIGTERM
	lines         chan os.Signal // SIGHUP, SIGPIPE

	mu      sync.Mutex
	phase   phase
	open    chan struct{}       // closed when the open question ends; nil without a question
	release func(chan struct{}) // closes open; a test watches the order
	parting *parting            // asks the user; nil without a terminal
	lastSay func()              // moves the output, before hangUps is closed
}

// WatchSignals stops a run in two stages. The first SIGINT or SIGTERM closes interrupts, so that
// the run finishes the current action, records it and releases its lock. The second cancels the
// context. A third is not caught and ends the process at once. A hang-up ends every command
// except those that called outlive.
func WatchSignals(parent context.Context) (context.Context, *Signals, func()) {
	ctx, cancel := context.WithCancel(parent)
	s := &Signals{interrupts: make(chan struct{}), HangUps: make(chan struct{}), PauseRequests: make(chan struct{}), cancel: cancel,
		release: func(open chan struct{}) { close(open) }, wanted: make(chan os.Signal, 2), lines: make(chan os.Signal, 2)}
	signal.Notify(s.wanted, os.Interrupt, syscall.SIGTERM)
	go s.attend(ctx.Done())
	return ctx, s, func() {
		signal.Stop(s.wanted)
		signal.Stop(s.lines)
		cancel()
	}
}

func (s *Signals) attend(done <-chan struct{}) {
	for {
		select {
		case got := <-s.wanted:
			if got == os.Interrupt {
				s.notice(interrupt)
			} else {
				s.notice(terminate)
			}
		case got := <-s.lines:
			if got == syscall.SIGHUP { // a SIGPIPE also fails the write
				s.notice(hangUp)
			}
		case <-done:
			return
		}
	}
}

// outlive makes a hang-up detach the output instead of ending the process. If SIGHUP was ignored
// at the start, as with nohup, it stays ignored.
func (s *Signals) outlive(lastSay func()) {
	s.mu.Lock()
	s.lastSay = lastSay
	s.mu.Unlock()
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(s.lines, syscall.SIGHUP)
	}
	signal.Notify(s.lines, syscall.SIGPIPE) // otherwise a write to a broken pipe ends the process
}

func (s *Signals) notice(n notice) {
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
		close(s.HangUps)
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

// answered carries out the user's answer. An answer after another interrupt or a hang-up has no
// effect.
func (s *Signals) answered(with answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.phase.asking {
		return
	}
	s.phase.asking = false
	defer s.settle()
	switch with {
	case goOn:
	case pauseNow:
		s.phase.stopping = true
		close(s.PauseRequests)
	case leave:
		s.phase.stopping = true
		close(s.interrupts)
	}
}

// settle releases waiters for an answer once no question is open and the answer is carried out:
// they must find the run interrupted. The caller holds s.mu.
func (s *Signals) settle() {
	if s.open != nil && !s.phase.asking {
		s.release(s.open)
		s.open = nil
	}
}

// UntilAnswered waits while a question is open: no step may begin before the user answers.
func (s *Signals) UntilAnswered(ctx context.Context, _ runner.Info) error {
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

// HungUp reports whether the terminal is gone.
func (s *Signals) HungUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase.unwatched
}

// UntilInterrupted returns ctx, ended by the first interrupt: for read-only commands, which leave
// nothing half done.
func (a *App) UntilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	looking, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-a.Interrupts:
			stop()
		case <-looking.Done():
		}
	}()
	return looking, stop
}
