package cli

import (
	"sync"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
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
	view.Run
	streams view.Streams
	gone    <-chan struct{} // nobody is there any more
	over    <-chan struct{} // the run ends

	mu   sync.Mutex
	left *runner.Left // what a run that ended now would leave
}

// partingAt is who is asked about a run that shown shows, for as long as over is open; nil:
// nobody sits at the terminal.
func (a *app) partingAt(shown view.Run, over <-chan struct{}) *parting {
	if a.output != "text" || !a.streams.ErrTerminal || a.streams.Keys == nil {
		return nil
	}
	return &parting{Run: shown, streams: a.streams, gone: a.signals.hangUps, over: over}
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

// ask shows what there is to choose and takes a key for it. Where no key can be read the
// answer is what an interrupt means anywhere else.
func (p *parting) ask(s *signals) {
	left := p.leaves()
	if left == nil {
		s.answered(goOn) // it was seen to its end meanwhile
		return
	}
	chosen, answered, err := p.chosen(*left, s.interrupts)
	switch {
	case err != nil:
		s.answered(leave)
	case answered:
		s.answered(chosen) // before it is shown: who sees it may interrupt again
		view.WriteAnswer(p.Above(), said[chosen])
	}
}

// chosen is the answer, false where something else came before it. The terminal is again
// as it was before it returns: whoever is answered may be asked once more at once.
func (p *parting) chosen(left runner.Left, interrupts <-chan struct{}) (chosen answer, answered bool, err error) {
	keys, restore, err := p.streams.Keys()
	if err != nil {
		return leave, false, err
	}
	defer restore()
	view.WriteParting(p.Above(), left)
	for {
		select {
		case <-p.gone:
		case <-p.over:
		case <-interrupts:
		case key, open := <-keys:
			chosen, known := menuKeys[key]
			if open && (!known || chosen == brakeNow && !left.Brakes) {
				continue
			}
			return chosen, open, nil // else the terminal is gone, which the hang-up says
		}
		return leave, false, nil
	}
}

// askAt has an interrupt ask somebody first; nil: it never does.
func (s *signals) askAt(p *parting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parting = p
}
