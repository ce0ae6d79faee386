package app

import (
	"errors"
	"sync"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// answer is the choice of a user who interrupts a run during another program's rollout.
type answer int

const (
	goOn answer = iota
	pauseNow
	leave
)

// menuKeys are the keys of a menu.
var menuKeys = map[byte]answer{'w': goOn, 'W': goOn, 'b': pauseNow, 'B': pauseNow, 'l': leave, 'L': leave}

// confirmations maps each answer to its confirmation.
var confirmations = map[answer]string{goOn: "continuing to watch", pauseNow: "pausing the rollout", leave: "leaving"}

// parting asks a user who interrupts a run at a terminal what happens to a rollout that another
// program continues. Until the answer, the run keeps watching and can still pause the rollout.
type parting struct {
	runview.Run
	streams console.Streams
	gone    <-chan struct{} // closed when the terminal is gone
	over    chan struct{}   // closed when the run has ended
	asking  sync.WaitGroup  // waits for the open question

	mu   sync.Mutex
	left *runner.Left // the rollout that would remain if the run ended now
}

// Asking makes an interrupt ask the user, if there is a terminal. It returns the view of the run,
// and a function that ends the questions and restores the terminal.
func (a *App) Asking(shown runview.Run) (runview.Run, func()) {
	if !a.canAsk() {
		return shown, func() {}
	}
	p := &parting{Run: shown, streams: a.Streams, gone: a.Signals.HangUps, over: make(chan struct{})}
	a.Signals.askAt(p)
	return p, func() {
		a.Signals.askAt(nil)
		close(p.over)
		p.asking.Wait()
	}
}

// canAsk reports whether an interrupt can ask the user.
func (a *App) canAsk() bool {
	return a.Output == "text" && a.Streams.ErrTerminal && a.Streams.Keys != nil
}

// Emit implements runner.Sink.
func (p *parting) Emit(e runner.Event) {
	p.mu.Lock()
	switch e.Type {
	case runner.StepWaiting:
		if e.Step != "" && e.Waiting != nil { // otherwise the run waits for the journal or the lock
			p.left = e.Waiting.Left
		}
	case runner.StepStarted, runner.StepFinished, runner.StepFailed, runner.RunFinished, runner.RolloutPaused:
		p.left = nil
	case runner.RunStarted, runner.LockTaken, runner.StepDone, runner.StepSkipped, runner.StepWarning, runner.Interrupting, runner.HungUp:
	}
	p.mu.Unlock()
	p.Run.Emit(e)
}

// leaves returns the rollout that would remain if the run ended now, or nil.
func (p *parting) leaves() *runner.Left {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// asks reports whether there is a user and a question.
func (p *parting) asks() bool {
	if p == nil {
		return false
	}
	left := p.leaves()
	return left != nil && left.GoesOn
}

// errTerminalGone means that no user can answer at the terminal.
var errTerminalGone = errors.New("the terminal is gone")

// ask shows the choices and reads a key. If no key can be read, the answer is the usual meaning
// of an interrupt.
func (p *parting) ask(s *Signals) {
	left := p.leaves()
	if left == nil {
		s.answered(goOn) // the rollout ended meanwhile
		return
	}
	chosen, typed, err := p.chosen(*left, s.interrupts)
	p.Ask(nil)
	switch {
	case errors.Is(err, errTerminalGone):
		s.notice(hangUp)
	case err != nil:
		s.answered(leave)
	default:
		s.answered(chosen) // before it is shown: the user may then interrupt again
	}
	if typed {
		runview.WriteAnswer(p.Above(), confirmations[chosen])
	}
}

// chosen returns the answer, and whether it was typed; otherwise another event came first. It
// restores the terminal before it returns: an answered user may be asked again at once.
func (p *parting) chosen(left runner.Left, interrupts <-chan struct{}) (chosen answer, typed bool, err error) {
	keys, restore, err := p.streams.Keys()
	if err != nil {
		return leave, false, err
	}
	defer restore()
	p.Ask(&left)
	for {
		select {
		case <-p.gone:
			return goOn, false, nil
		case <-p.over:
			return goOn, false, nil
		case <-interrupts:
			return leave, false, nil
		case key, open := <-keys:
			if !open {
				return goOn, false, errTerminalGone
			}
			if chosen, known := menuKeys[key]; known && (chosen != pauseNow || left.CanPause) {
				return chosen, true, nil
			}
		}
	}
}

// askAt makes an interrupt ask p first, or never if p is nil.
func (s *Signals) askAt(p *parting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parting = p
}
