package judge

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Run is a recorded run of awsmigrate. The judgement uses only its modes of
// kube-controller-managers (record.Mode).
type Run struct {
	ID      string    `json:"id"`
	Command string    `json:"command,omitempty"`
	By      string    `json:"by,omitempty"`
	Version string    `json:"version,omitempty"`
	Goal    string    `json:"goal,omitempty"` // record.Migrate or record.Undo, or empty if it was not recorded
	From    time.Time `json:"from"`
	Until   time.Time `json:"until,omitzero"` // zero if the record lacks its end
	Before  string    `json:"before,omitempty"`
	After   string    `json:"after,omitempty"`
	Error   string    `json:"error,omitempty"`
	Stopped bool      `json:"stopped,omitempty"` // a user stopped it
	Attempt string    `json:"attempt,omitempty"` // names the automatic request, or is empty if a user started it
	Watched bool      `json:"watched,omitempty"` // it only watched another run's rollout
	Steps   []Step    `json:"steps,omitempty"`
	// Approvals holds the approvals in the run's journal.
	Approvals []Approval `json:"approvals,omitempty"`
	// Former is the previous run in its journal, or nil.
	Former *record.Former `json:"former,omitempty"`
	// Edits holds the changes of the steps that it began, Writes its announced writes, and Audits
	// the last audit of each step.
	Edits  []record.Edit `json:"edits,omitempty"`
	Writes []Write       `json:"writes,omitempty"`
	Audits []Audit       `json:"audits,omitempty"`
}

// Write is a write with the time of its announcement.
type Write struct {
	At time.Time `json:"at"`
	record.Write
}

// Audit is an audit with its time.
type Audit struct {
	At time.Time `json:"at"`
	record.Audit
}

// Approval is a user's approval with its time.
type Approval struct {
	At time.Time `json:"at"`
	record.Approval
}

// Step is a step of a run.
type Step struct {
	ID      string         `json:"id"`
	Title   string         `json:"title,omitempty"`
	From    time.Time      `json:"from"`
	Until   time.Time      `json:"until,omitzero"` // zero if the record lacks its end
	Outcome record.Outcome `json:"outcome,omitempty"`
	Message string         `json:"message,omitempty"`
	// Compared counts the unchanged objects since the first run.
	Compared []record.Compared `json:"compared,omitempty"`
}

func (j *Judge) run(at time.Time, r record.Run) {
	j.learnMode(at, r.Mode)
	if known := j.runOf(r.ID); known != nil {
		if r.Ended {
			known.Until, known.After, known.Error, known.Stopped = at, r.Position, r.Error, r.Stopped
		}
		return
	}
	one := Run{ID: r.ID, Command: r.Command, By: r.By, Version: r.Version, Goal: r.Goal, Attempt: r.Attempt, From: at, Before: r.Position}
	if r.Ended { // it ended before it observed anything
		one.Until, one.Error, one.Stopped = at, r.Error, r.Stopped
	}
	j.runs = append(j.runs, one)
}

func (j *Judge) runOf(id string) *Run {
	for i := len(j.runs) - 1; i >= 0; i-- {
		if j.runs[i].ID == id {
			return &j.runs[i]
		}
	}
	return nil
}

// step consumes the beginning or the end of a step; a step without a beginning was not run.
func (j *Judge) step(at time.Time, s record.Step) {
	j.learnMode(at, s.Mode)
	run := j.runOf(s.Run)
	if run == nil {
		return
	}
	if s.Outcome != "" {
		for i := len(run.Steps) - 1; i >= 0; i-- {
			if one := &run.Steps[i]; one.ID == s.ID && one.Outcome == "" {
				one.Until, one.Outcome, one.Message, one.Compared = at, s.Outcome, s.Message, s.Compared
				return
			}
		}
	}
	one := Step{ID: s.ID, Title: s.Title, From: at, Outcome: s.Outcome, Message: s.Message, Compared: s.Compared}
	if s.Outcome != "" {
		one.Until = at
	}
	run.Steps = append(run.Steps, one)
}

// approval consumes an approval, and drops it if its run is not in the record.
func (j *Judge) approval(at time.Time, a record.Approval) {
	if run := j.runOf(a.Run); run != nil {
		run.Approvals = append(run.Approvals, Approval{at, a})
	}
}

func (j *Judge) former(f record.Former) {
	if run := j.runOf(f.Run); run != nil {
		run.Former = &f
	}
}

// edit consumes a change. A written change replaces the planned one of the same object in the
// same step.
func (j *Judge) edit(e record.Edit) {
	run := j.runOf(e.Run)
	if run == nil {
		return
	}
	if e.Written {
		run.Edits = slices.DeleteFunc(run.Edits, func(known record.Edit) bool {
			return known.Step == e.Step && known.Object == e.Object && !known.Written
		})
	}
	run.Edits = append(run.Edits, e)
}

func (j *Judge) write(at time.Time, w record.Write) {
	if run := j.runOf(w.Run); run != nil {
		run.Writes = append(run.Writes, Write{at, w})
	}
}

// audit consumes an audit; if a step repeats it, the last one counts.
func (j *Judge) audit(at time.Time, a record.Audit) {
	run := j.runOf(a.Run)
	if run == nil {
		return
	}
	run.Audits = slices.DeleteFunc(run.Audits, func(known Audit) bool { return known.Step == a.Step })
	run.Audits = append(run.Audits, Audit{at, a})
}
