package board

import (
	"maps"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// State holds what the events of a run have shown so far. It is a value. The zero value is the state
// before the first event.
type State struct {
	steps []journal.StepID
	past  map[journal.StepID]bool // finished, found done, or skipped

	step      journal.StepID // the running step, or ""
	between   bool           // a step has finished and the next has not begun
	title     string
	runBegan  time.Time
	stepBegan time.Time

	wait    *runner.Wait   // the last reading of the running step, or nil
	looked  time.Time      // time of that reading
	blind   time.Time      // the last time when the cluster could not be read, or zero
	last    *runner.Leader // the last known leader, or nil
	closing string         // message about a requested end
	key     Interrupt      // what Ctrl-C means, without the rollout
	asked   *runner.Left   // the rollout of the open question, or nil

	pace    pace
	ahead   []runner.StepCost                  // planned costs from the current step on, or empty
	planned map[journal.StepID]runner.StepCost // of all steps that were ever ahead
}

// Keyed returns the first state of a run, in which Ctrl-C has a meaning by at.
func Keyed(at Interrupt) State { return State{key: at} }

// Ask returns the state after a question about a rollout began, or ended if left is nil.
func (s State) Ask(left *runner.Left) State {
	s.asked, s.key.Asking = left, left != nil
	return s
}

// Interrupt returns what gives Ctrl-C its meaning now.
func (s State) Interrupt() Interrupt {
	at := s.key
	switch {
	case s.asked != nil:
		at.Left = s.asked
	case s.wait != nil:
		at.Left = s.wait.Left
	}
	return at
}

// HasStep reports whether a step is running or comes next.
func (s State) HasStep() bool { return s.step != "" || s.between }

// After returns the state after another event. It does not change s.
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
		s = s.addCosts(e.Ahead)
	case runner.StepWaiting:
		s = s.addReading(e)
	case runner.StepFinished:
		s.past = with(s.past, e.Step)
		s.step, s.wait, s.between = "", nil, true
	case runner.StepFailed, runner.RunFinished:
		s.step, s.wait, s.between = "", nil, false
	case runner.Interrupting, runner.HungUp:
		s.closing = e.Message
		s.key.Stopping, s.key.Asking, s.asked = true, false, nil
	case runner.LockTaken:
		s.runBegan = e.Time.Add(-e.Elapsed) // a question is no time of the run
	case runner.StepWarning, runner.RolloutPaused:
	}
	return s
}

// addReading returns the state after a reading of a wait.
func (s State) addReading(e runner.Event) State {
	if e.Waiting == nil || s.step == "" {
		return s
	}
	w := *e.Waiting
	if s.wait != nil && e.Step == "" { // a wait for the journal or the lock: the machines are unchanged
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

// addCosts returns the state with the planned costs of the current step and of later ones.
func (s State) addCosts(ahead []runner.StepCost) State {
	s.ahead, s.planned = ahead, maps.Clone(s.planned)
	if s.planned == nil {
		s.planned = map[journal.StepID]runner.StepCost{}
	}
	for _, cost := range ahead {
		if _, known := s.planned[cost.Step]; !known { // later plans have fewer machines left
			s.planned[cost.Step] = cost
		}
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
