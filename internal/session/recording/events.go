package recording

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// About holds the facts of a run that no event contains.
type About struct {
	Undo    bool   // the run is an undo
	Attempt string // identifies the request for the run; see runner.Options
}

// WrapSink returns a sink that records the steps of a run and passes every event on.
func (r *Recording) WrapSink(next runner.Sink, about About) runner.Sink {
	if r == nil {
		return next
	}
	return runner.SinkFunc(func(e runner.Event) {
		switch e.Type {
		case runner.RunStarted, runner.RunFinished:
			r.setCurrent(e.Message, "")
		case runner.StepStarted:
			r.setCurrent("", string(e.Step))
		default:
		}
		for _, entry := range r.entries(about, e) {
			r.add(entry)
		}
		next.Emit(e)
	})
}

// setCurrent sets the current run and step. An empty run keeps the previous one.
func (r *Recording) setCurrent(run, step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run != "" {
		r.run = run
	}
	r.step = step
}

// current returns the current run and step.
func (r *Recording) current() (run, step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run, r.step
}

// entries returns the entries of a record for an event of a run.
func (r *Recording) entries(about About, e runner.Event) []record.Entry {
	run, _ := r.current()
	step := record.Step{Run: run, ID: string(e.Step), Title: e.Title}
	switch e.Type {
	case runner.RunStarted:
		one := r.runOf(about, e)
		one.Mode = modeAt(e.Position)
		return []record.Entry{{Run: one}}
	case runner.RunFinished:
		one := r.runOf(about, e)
		class := fault.ClassOf(e.Err)
		one.Ended, one.Error = true, text(e.Err)
		one.Stopped = e.Err != nil && (class == fault.Interrupted || class == fault.HungUp || class == fault.Declined)
		return []record.Entry{{Run: one}}
	case runner.StepStarted:
		if modeAfter(e.Step) != "" {
			step.Mode = record.Changing
		}
		return append([]record.Entry{{Step: &step}}, editEntries(step, e.Changes, false)...)
	case runner.StepFinished:
		step.Mode = modeAfter(e.Step)
		step.Outcome, step.Message, step.Compared = record.Finished, plaintext.Tidy(strings.Join(e.Lines, "; ")), convertCompared(e.Compared)
		return append(editEntries(step, e.Changes, true), record.Entry{Step: &step})
	case runner.StepFailed:
		step.Outcome, step.Message = record.Failed, text(e.Err)
		return append(editEntries(step, e.Changes, true), record.Entry{Step: &step})
	case runner.StepDone:
		step.Outcome, step.Message = record.WasDone, plaintext.Tidy(e.Message)
	case runner.StepSkipped:
		step.Outcome, step.Message = record.Skipped, plaintext.Tidy(e.Message)
	case runner.LockTaken, runner.StepWaiting, runner.StepWarning, runner.RolloutPaused, runner.Interrupting, runner.HungUp:
		return nil
	}
	return []record.Entry{{Step: &step}}
}

// runOf returns the record of a run at an event.
func (r *Recording) runOf(about About, e runner.Event) *record.Run {
	goal := record.Migrate
	if about.Undo {
		goal = record.Undo
	}
	return &record.Run{ID: e.Message, Command: r.o.Command, By: r.o.By, Version: r.o.Version, Goal: goal, Attempt: about.Attempt, Position: e.Position}
}

// modeAt returns the mode of every kube-controller-manager at a position.
func modeAt(pos string) record.Mode {
	switch pos {
	case position.P0.String(), position.P1.String():
		return record.InTree
	case position.P2.String(), position.P3.String():
		return record.Migrating
	case position.P4.String(), position.P5.String():
		return record.External
	}
	return record.Changing
}

// modeAfter returns the mode of every kube-controller-manager after a finished step, or empty
// if the step does not change it.
func modeAfter(step journal.StepID) record.Mode {
	switch step {
	case migration.StepUndoEnable:
		return record.InTree
	case migration.StepEnable, migration.StepUndoSwitch:
		return record.Migrating
	case migration.StepSwitch:
		return record.External
	}
	return ""
}

// convertCompared converts the comparisons of a step for a record.
func convertCompared(all []runner.Compared) []record.Compared {
	var kept []record.Compared
	for _, c := range all {
		kept = append(kept, record.Compared{Kind: c.Kind, By: c.By, Same: c.Same, Of: c.Of, Others: c.Others[:min(len(c.Others), maxOthers)], Unread: plaintext.Tidy(c.Unread)})
	}
	return kept
}

// maxOthers limits the names of objects that differ in a comparison; Same and Of count all.
const maxOthers = 200

func text(err error) string {
	if err == nil {
		return ""
	}
	return plaintext.Tidy(err.Error())
}
