package runner

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Event describes one event of a run. Views turn events into text or JSON lines; the engine
// prints nothing.
type Event struct {
	Time    time.Time      `json:"time"`
	Type    EventType      `json:"type"`
	Step    journal.StepID `json:"step,omitempty"`
	Title   string         `json:"title,omitempty"`
	Message string         `json:"message,omitempty"`
	Lines   []string       `json:"lines,omitempty"` // evidence, warnings, plan lines
	// Steps lists all steps of the procedure in order.
	Steps    []journal.StepID `json:"steps,omitempty"`
	Waiting  *Wait            `json:"waiting,omitempty"`
	Elapsed  time.Duration    `json:"-"`
	Seconds  float64          `json:"seconds,omitempty"` // Elapsed, for machines
	Position string           `json:"position,omitempty"`
	Left     *Left            `json:"left,omitempty"` // the unfinished rollout of a failed step or run
	Err      error            `json:"-"`
	// Changes of StepStarted are the planned changes of the step. Changes of StepFinished and
	// StepFailed are those it has reported as written. They may contain secrets, so only a
	// recorder may use them.
	Changes []Change `json:"-"`
	// Ahead of StepStarted holds the planned costs of this step and of the later ones that will
	// run, or is empty if they are unknown.
	Ahead []StepCost `json:"ahead,omitempty"`
	// Compared of StepFinished holds the comparisons of the step.
	Compared []Compared `json:"-"`
}

// Wait describes what a step waits for. For and Seen are never empty.
type Wait struct {
	For          string    `json:"for"`
	Seen         string    `json:"seen"`
	Since        time.Time `json:"since"`
	LastProgress time.Time `json:"lastProgress"`
	Until        time.Time `json:"until"` // the wait fails then without progress; zero if it has no limit
	Done         int       `json:"done,omitempty"`
	Total        int       `json:"total,omitempty"`
	Counted      bool      `json:"-"` // Seen already contains Done and Total
	// Machines lists the machines that the step changes, in the cluster's order. It is empty
	// before the first read.
	Machines []Machine `json:"machines,omitempty"`
	// Blind reports whether the cluster could not be read. Then all fields except Seen are from
	// the last successful read.
	Blind bool `json:"-"`
	// Leader is the observed leader, or nil.
	Leader *Leader `json:"leader,omitempty"`
	// Left describes what a run that ended now would leave to others, or is nil.
	Left *Left `json:"-"`
	// Met reports whether this read showed everything; the wait ends after enough of them.
	Met bool `json:"met,omitempty"`
}

// EventType enumerates Event.
type EventType string

const (
	// RunStarted has Position, Message (the run ID) and Steps.
	RunStarted EventType = "run-started"
	// LockTaken reports that this run holds the Lease. Elapsed is the time of the run until then,
	// without the time of a question. A view may add in Message where the output
	// continues if the terminal disconnects.
	LockTaken EventType = "lock-taken"
	// StepDone reports a step that is already done; Message holds the evidence.
	StepDone EventType = "step-done"
	// StepSkipped reports a step that does not apply; Message holds the reason.
	StepSkipped EventType = "step-skipped"
	// StepStarted reports that the step begins. Position is that at its beginning.
	StepStarted EventType = "step-started"
	// StepWaiting reports a read that is not Met. It is sent on a change and every 30 s, or with
	// Options.EveryReading on every read.
	StepWaiting EventType = "step-waiting"
	// StepWarning reports a problem that stops nothing.
	StepWarning EventType = "step-warning"
	// StepFinished has the evidence in Lines and the duration in Elapsed.
	StepFinished EventType = "step-finished"
	// StepFailed has the cause in Err.
	StepFailed EventType = "step-failed"
	// RolloutPaused reports that the rollout was paused, or could not be; Message describes how.
	RolloutPaused EventType = "brake-pulled"
	// Interrupting reports the first Ctrl-C; Message names the work that still finishes.
	Interrupting EventType = "interrupting"
	// HungUp reports that the terminal is gone; Message describes how the run continues.
	HungUp EventType = "hung-up"
	// RunFinished is the last event of every run; Err is set if it failed.
	RunFinished EventType = "run-finished"
)

// Sink receives events. It must not block for long.
type Sink interface{ Emit(Event) }

// SinkFunc is a function that implements Sink.
type SinkFunc func(Event)

// Emit implements Sink.
func (f SinkFunc) Emit(e Event) { f(e) }
