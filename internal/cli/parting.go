package cli

import (
	"errors"
	"sync"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// answer is what somebody wants who interrupts a run while others go on with what it began.
type answer int

const (
	goOn answer = iota
	brakeNow
	leave
)

// menuKeys are the keys of a menu.
var menuKeys = map[byte]answer{'w': goOn, 'W': goOn, 'b': brakeNow, 'B': brakeNow, 'l': leave, 'L': leave}

// said is how an answer is repeated.
var said = map[answer]string{goOn: "going on watching", brakeNow: "pulling the brake", leave: "leaving"}

// parting asks whoever interrupts a run at a terminal what is to become of a rollout that
// others go on with. Until there is an answer the run goes on watching, its brake armed.
type parting struct {
	runview.Run
	streams console.Streams
	gone    <-chan struct{} // nobody is there any more
	over    chan struct{}   // closed when the run has ended
	asking  sync.WaitGroup  // somebody is

	mu   sync.Mutex
	left *runner.Left // what a run that ended now would leave
}

// asking has whoever interrupts a run be asked, where somebody sits at a terminal. It gives
// the view that shows the run from then on, and what ends it: then no key is read any more,
// and the terminal is as it was.
func (a *app) asking(shown runview.Run) (runview.Run, func()) {
	if a.output != "text" || !a.streams.ErrTerminal || a.streams.Keys == nil {
		return shown, func() {}
	}
	p := &parting{Run: shown, streams: a.streams, gone: a.signals.hangUps, over: make(chan struct{})}
	a.signals.askAt(p)
	return p, func() {
		a.signals.askAt(nil)
		close(p.over)
		p.asking.Wait()
	}
}

// Emit implements runner.Sink.
func (p *parting) Emit(e runner.Event) {
	p.mu.Lock()
	switch e.Type {
	case runner.StepWaiting:
		if e.Step != "" && e.Waiting != nil { // else the journal or the lock is waited for
			p.left = e.Waiting.Left
		}
	case runner.StepStarted, runner.StepFinished, runner.StepFailed, runner.RunFinished, runner.BrakePulled:
		p.left = nil
	case runner.RunStarted, runner.LockTaken, runner.StepDone, runner.StepSkipped, runner.StepWarning, runner.Interrupting, runner.HungUp:
	}
	p.mu.Unlock()
	p.Run.Emit(e)
}

// leaves is what a run that ended now would leave to others; nil: nothing.
func (p *parting) leaves() *runner.Left {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// asks says whether there is somebody to ask, and something to ask about.
func (p *parting) asks() bool {
	if p == nil {
		return false
	}
	left := p.leaves()
	return left != nil && left.GoesOn
}

// errTerminalGone says that nobody can type an answer any more.
var errTerminalGone = errors.New("the terminal is gone")

// ask shows what there is to choose and takes a key for it. Where no key can be read the
// answer is what an interrupt means anywhere else.
func (p *parting) ask(s *signals) {
	left := p.leaves()
	if left == nil {
		s.answered(goOn) // it was seen to its end meanwhile
		return
	}
	chosen, typed, err := p.chosen(*left, s.interrupts)
	switch {
	case errors.Is(err, errTerminalGone):
		s.notice(hangUp)
	case err != nil:
		s.answered(leave)
	default:
		s.answered(chosen) // before it is shown: who sees it may interrupt again
	}
	if typed {
		runview.WriteAnswer(p.Above(), said[chosen])
	}
}

// chosen is the answer, and whether somebody typed it; else something came before it. The
// terminal is again as it was before it returns: whoever is answered may be asked once
// more at once.
func (p *parting) chosen(left runner.Left, interrupts <-chan struct{}) (chosen answer, typed bool, err error) {
	keys, restore, err := p.streams.Keys()
	if err != nil {
		return leave, false, err
	}
	defer restore()
	runview.WriteParting(p.Above(), left)
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
			if chosen, known := menuKeys[key]; known && (chosen != brakeNow || left.Brakes) {
				return chosen, true, nil
			}
		}
	}
}

// askAt has an interrupt ask somebody first; nil: it never does.
func (s *signals) askAt(p *parting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parting = p
}
