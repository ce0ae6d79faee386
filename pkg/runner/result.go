package runner

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Result describes what a run found and did. It is filled as far as the run came, also if it
// failed.
type Result struct {
	RunID       string       `json:"runID"`
	Position    string       `json:"position"`
	Observation Observation  `json:"observation"` // the last one
	Steps       []StepResult `json:"steps"`       // all steps, in order
	// Added is the time that the engine itself added: for each wait, the time from the first Met
	// read of the final series to the end of the wait.
	Added time.Duration `json:"-"`
	// Pauses holds, for each change of the leader during a wait, the upper bound of the time
	// without a leader.
	Pauses []time.Duration `json:"-"`
	// Unread is the time of the last failed read by the run's clock, or zero.
	Unread time.Time `json:"-"`
	// Left describes what continues, or was cut off, when the run ended, or is nil.
	Left *Left `json:"left,omitempty"`
	// Resume is the command that continues the run, or empty if the request is
	// complete.
	Resume string `json:"resume,omitempty"`
}

// StepResult describes how one step ended in this run.
type StepResult struct {
	ID       journal.StepID `json:"id"`
	Outcome  Outcome        `json:"outcome"`
	Elapsed  time.Duration  `json:"-"`
	Evidence []string       `json:"evidence,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Compared []Compared     `json:"compared,omitempty"`
}

// Compared counts the things of one kind that are unchanged since before the first run.
type Compared struct {
	Kind   string   `json:"kind"` // "nodes", "load balancers"
	By     string   `json:"by"`   // the compared property
	Same   int      `json:"unchanged"`
	Of     int      `json:"of"`
	Others []string `json:"others,omitempty"` // those that differ or are gone
	Unread string   `json:"unread,omitempty"` // why nothing was compared, or empty
}

// Outcome enumerates StepResult.
type Outcome string

const (
	// WasDone means that the step was already done and was not run.
	WasDone Outcome = "was-done"
	// WasSkipped means that the step does not apply; Evidence holds the cause.
	WasSkipped Outcome = "skipped"
	// Finished means that the step was run and its effect observed.
	Finished Outcome = "finished"
	// Planned means that the step is pending and this was a dry run.
	Planned Outcome = "planned"
	// Stopped means that the step was begun and failed.
	Stopped Outcome = "failed"
	// Halted means that the step was begun and interrupted.
	Halted Outcome = "interrupted"
	// NotReached means that the run ended before this step.
	NotReached Outcome = "not-reached"
)

// Compared returns the comparisons of the last step that made any.
func (r Result) Compared() []Compared {
	for _, step := range slices.Backward(r.Steps) {
		if len(step.Compared) > 0 {
			return step.Compared
		}
	}
	return nil
}

// report collects StepResults by step.
type report struct {
	order []journal.StepID
	byID  map[journal.StepID]*StepResult
}

func newReport(steps []Info) *report {
	r := &report{byID: make(map[journal.StepID]*StepResult, len(steps))}
	for _, s := range steps {
		r.order = append(r.order, s.ID)
		r.byID[s.ID] = &StepResult{ID: s.ID, Outcome: NotReached}
	}
	return r
}

func (r *report) of(id journal.StepID) *StepResult { return r.byID[id] }

// finished returns the steps that this run saw completed.
func (r *report) finished() []journal.StepID {
	var done []journal.StepID
	for _, id := range r.order {
		if r.byID[id].Outcome == Finished {
			done = append(done, id)
		}
	}
	return done
}

func (r *report) list() []StepResult {
	out := make([]StepResult, 0, len(r.order))
	for _, id := range r.order {
		out = append(out, *r.byID[id])
	}
	return out
}
