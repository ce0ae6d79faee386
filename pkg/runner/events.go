package runner

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Event is one thing that happened in a run. Views turn events into text or
// JSON lines; the engine prints nothing.
type Event struct {
	Time    time.Time      `json:"time"`
	Type    EventType      `json:"type"`
	Step    journal.StepID `json:"step,omitempty"`
	Title   string         `json:"title,omitempty"`
	Message string         `json:"message,omitempty"`
	Lines   []string       `json:"lines,omitempty"` // evidence, warnings, plan lines
	// Steps are all of the procedure, in their order.
	Steps    []journal.StepID `json:"steps,omitempty"`
	Waiting  *Wait            `json:"waiting,omitempty"`
	Elapsed  time.Duration    `json:"-"`
	Seconds  float64          `json:"seconds,omitempty"` // Elapsed, for machines
	Position string           `json:"position,omitempty"`
	Left     *Left            `json:"left,omitempty"` // of a step, or run, that ended in the middle of a roll
	Err      error            `json:"-"`
	// Changes are, of StepStarted, what the plan has of the step; of StepFinished and
	// StepFailed those of them that it has written, where it says so. Only for who keeps
	// them: they may hold whole texts with secrets.
	Changes []Change `json:"-"`
	// Compared is, of StepFinished, what the step compared.
	Compared []Compared `json:"-"`
}

// Wait says what a step waits for. No field is ever empty while it waits.
type Wait struct {
	For          string    `json:"for"`
	Seen         string    `json:"seen"`
	Since        time.Time `json:"since"`
	LastProgress time.Time `json:"lastProgress"`
	Until        time.Time `json:"until"` // when it gives up without further progress; zero: it does not
	Done         int       `json:"done,omitempty"`
	Total        int       `json:"total,omitempty"`
	Counted      bool      `json:"-"` // Seen says Done and Total itself
	// Machines are those that the step changes, in the order of the cluster; none where
	// it changes none, or nothing was read yet.
	Machines []Machine `json:"machines,omitempty"`
	// Blind: the cluster could not be read, and all but Seen is of the reading before.
	Blind bool `json:"-"`
	// Leader is nil while none is seen.
	Leader *Leader `json:"leader,omitempty"`
	// Left is what a run that ended now would leave to others; nil: nothing.
	Left *Left `json:"-"`
	// Met: this reading shows what is waited for, and more of them have to.
	Met bool `json:"met,omitempty"`
}

// EventType enumerates Event.
type EventType string

const (
	// RunStarted has Position, Message (the run id) and Steps.
	RunStarted EventType = "run-started"
	// LockTaken says that the Lease is ours. A view may add in Message where the
	// output goes on if nobody takes it any more.
	LockTaken EventType = "lock-taken"
	// StepDone is a step found done, not run; Message holds the evidence.
	StepDone EventType = "step-done"
	// StepSkipped is a step that does not apply; Message says why.
	StepSkipped EventType = "step-skipped"
	// StepStarted says that the step begins.
	StepStarted EventType = "step-started"
	// StepWaiting is a reading that is not Met, sent when it changed and every 30 s; with
	// Options.EveryReading every reading of a wait.
	StepWaiting EventType = "step-waiting"
	// StepWarning is something to know that stops nothing.
	StepWarning EventType = "step-warning"
	// StepFinished has the evidence in Lines and the time it took in Elapsed.
	StepFinished EventType = "step-finished"
	// StepFailed says why in Err.
	StepFailed EventType = "step-failed"
	// BrakePulled says in Message what was done.
	BrakePulled EventType = "brake-pulled"
	// Interrupting says that the first Ctrl-C was seen, and in Message what is being finished.
	Interrupting EventType = "interrupting"
	// HungUp says that nobody watches any more, and in Message what becomes of the run.
	HungUp EventType = "hung-up"
	// RunFinished is the last event of every run, Err set if it failed.
	RunFinished EventType = "run-finished"
)

// Sink takes events. It must not block for long.
type Sink interface{ Emit(Event) }

// SinkFunc makes a Sink of a function.
type SinkFunc func(Event)

// Emit implements Sink.
func (f SinkFunc) Emit(e Event) { f(e) }
