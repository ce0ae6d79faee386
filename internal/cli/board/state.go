package board

import (
	"maps"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// State is what the events of a run have shown so far: a value. The zero value is a run
// of which nothing was seen.
type State struct {
	steps []journal.StepID
	past  map[journal.StepID]bool // finished, found done, or skipped

	step      journal.StepID // in hand; "": none
	between   bool           // one was finished, and no other has begun
	title     string
	runBegan  time.Time
	stepBegan time.Time

	wait    *runner.Wait   // the last reading of the step in hand; nil: none yet
	looked  time.Time      // when it was made
	blind   time.Time      // the last reading for which the cluster could not be read; zero: none
	last    *runner.Leader // that was seen last, now or before; nil: none ever
	closing string         // what is said of an end that was asked for

	pace pace
}

// InHand says whether a step is, or comes next.
func (s State) InHand() bool { return s.step != "" || s.between }

// After is what is known after another event. It leaves s as it was.
func (s State) After(e runner.Event) State {
	if s.runBegan.IsZero() {
		s.runBegan = e.Time
	}
	switch e.Type {
	case runner.RunStarted:
		s.steps, s.runBegan = e.Steps, e.Time
	case runner.StepDone, runner.StepSkipped:
		s.past = with(s.past, e.Step)
	case runner.StepStarted:
		s.step, s.title, s.stepBegan, s.wait, s.looked = e.Step, e.Title, e.Time, nil, time.Time{}
		s.pace, s.between = s.pace.begin(), false
	case runner.StepWaiting:
		s = s.reading(e)
	case runner.StepFinished:
		s.past = with(s.past, e.Step)
		s.step, s.wait, s.between = "", nil, true
	case runner.StepFailed, runner.RunFinished:
		s.step, s.wait, s.between = "", nil, false
	case runner.Interrupting, runner.HungUp:
		s.closing = e.Message
	case runner.LockTaken, runner.StepWarning, runner.BrakePulled:
	}
	return s
}

// reading takes in one reading of a wait.
func (s State) reading(e runner.Event) State {
	if e.Waiting == nil || s.step == "" {
		return s
	}
	w := *e.Waiting
	if s.wait != nil && e.Step == "" { // the journal or the lock is waited for: the machines stay as they were seen
		w.Machines, w.Leader = s.wait.Machines, s.wait.Leader
	}
	s.wait, s.looked = &w, e.Time
	if w.Blind {
		s.blind = e.Time
	}
	s.pace = s.pace.after(s.step, w.Machines, e.Time)
	if w.Leader != nil {
		s.last = w.Leader
	}
	return s
}

func with(set map[journal.StepID]bool, id journal.StepID) map[journal.StepID]bool {
	next := maps.Clone(set)
	if next == nil {
		next = map[journal.StepID]bool{}
	}
	next[id] = true
	return next
}
