package runner

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Result is what a run found and did. It is filled as far as the run came, on
// failure too.
type Result struct {
	RunID       string       `json:"runID"`
	Position    string       `json:"position"`
	Observation Observation  `json:"observation"` // the last one
	Steps       []StepResult `json:"steps"`       // all steps, in order
	// Added is the time the run itself added: over all waits, the end of the
	// wait minus the first Met reading of the streak that ended it.
	Added time.Duration `json:"-"`
	// Pauses are for how long at most nobody led, whenever the leader changed while the run
	// waited for a step.
	Pauses []time.Duration `json:"-"`
	// Unread is when a reading failed last, by the run's clock; zero: none did.
	Unread time.Time `json:"-"`
	// Left is what goes on, or was cut off, where the run ended; nil: nothing.
	Left *Left `json:"left,omitempty"`
	// Resume is the command that goes on from here; empty when nothing is left
	// of what was asked for.
	Resume string `json:"resume,omitempty"`
}

// StepResult is what became of one step in this run.
type StepResult struct {
	ID       journal.StepID `json:"id"`
	Outcome  Outcome        `json:"outcome"`
	Elapsed  time.Duration  `json:"-"`
	Evidence []string       `json:"evidence,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Compared []Compared     `json:"compared,omitempty"`
}

// Compared says of one kind of thing how many are as they were before the first run.
type Compared struct {
	Kind   string   `json:"kind"` // "nodes", "load balancers"
	By     string   `json:"by"`   // what was compared of each
	Same   int      `json:"unchanged"`
	Of     int      `json:"of"`
	Others []string `json:"others,omitempty"` // those that differ or are gone
	Unread string   `json:"unread,omitempty"` // why nothing was compared; left out: it was
}

// Outcome enumerates StepResult.
type Outcome string

const (
	// WasDone was found done, not run.
	WasDone Outcome = "was-done"
	// WasSkipped does not apply here; Evidence says why.
	WasSkipped Outcome = "skipped"
	// Finished was run, and what it awaits was observed.
	Finished Outcome = "finished"
	// Planned is to do, not run because this was a dry run.
	Planned Outcome = "planned"
	// Stopped was begun and not finished, by failure.
	Stopped Outcome = "failed"
	// Halted was begun and not finished, by interruption.
	Halted Outcome = "interrupted"
	// NotReached comes after where the run ended.
	NotReached Outcome = "not-reached"
)

// Compared is what the last step that compared anything found.
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

// finished are the steps that this run saw to their end.
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
