package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Run is a run of awsmigrate as the record has it. Nothing is judged by it: what a run
// says of itself proves nothing of the controllers.
type Run struct {
	ID      string    `json:"id"`
	Command string    `json:"command,omitempty"`
	By      string    `json:"by,omitempty"`
	Version string    `json:"version,omitempty"`
	From    time.Time `json:"from"`
	Until   time.Time `json:"until,omitzero"` // zero: the record does not have its end
	Before  string    `json:"before,omitempty"`
	After   string    `json:"after,omitempty"`
	Error   string    `json:"error,omitempty"`
	Steps   []Step    `json:"steps,omitempty"`
	// Approvals are those that the run's journal has.
	Approvals []Approval `json:"approvals,omitempty"`
}

// Approval is somebody's yes, and when it was written.
type Approval struct {
	At   time.Time `json:"at"`
	Step string    `json:"step,omitempty"` // "": the plan
	Plan string    `json:"plan,omitempty"` // hash of the plan
	By   string    `json:"by,omitempty"`
}

// Step is a step of a run.
type Step struct {
	ID      string         `json:"id"`
	Title   string         `json:"title,omitempty"`
	From    time.Time      `json:"from"`
	Until   time.Time      `json:"until,omitzero"` // zero: the record does not have its end
	Outcome record.Outcome `json:"outcome,omitempty"`
	Message string         `json:"message,omitempty"`
}

func (j *Judge) run(at time.Time, r record.Run) {
	if known := j.runOf(r.ID); known != nil {
		if r.Ended {
			known.Until, known.After, known.Error = at, r.Position, r.Error
		}
		return
	}
	one := Run{ID: r.ID, Command: r.Command, By: r.By, Version: r.Version, From: at, Before: r.Position}
	if r.Ended { // before it could observe anything
		one.Until, one.Error = at, r.Error
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

// step takes in the beginning or the end of a step; one without a beginning was not run.
func (j *Judge) step(at time.Time, s record.Step) {
	run := j.runOf(s.Run)
	if run == nil {
		return
	}
	if s.Outcome != "" {
		for i := len(run.Steps) - 1; i >= 0; i-- {
			if one := &run.Steps[i]; one.ID == s.ID && one.Outcome == "" {
				one.Until, one.Outcome, one.Message = at, s.Outcome, s.Message
				return
			}
		}
	}
	one := Step{ID: s.ID, Title: s.Title, From: at, Outcome: s.Outcome, Message: s.Message}
	if s.Outcome != "" {
		one.Until = at
	}
	run.Steps = append(run.Steps, one)
}

// approval takes in a yes; one of a run that is not in the record is of none.
func (j *Judge) approval(at time.Time, a record.Approval) {
	if run := j.runOf(a.Run); run != nil {
		run.Approvals = append(run.Approvals, Approval{At: at, Step: a.Step, Plan: a.Plan, By: a.By})
	}
}
