package recording

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Beside is a sink of a run that records its steps and hands every event on.
func (r *Recording) Beside(next runner.Sink) runner.Sink {
	if r == nil {
		return next
	}
	run := ""
	return runner.SinkFunc(func(e runner.Event) {
		if e.Type == runner.RunStarted || e.Type == runner.RunFinished {
			run = e.Message
		}
		if entry, is := r.entry(run, e); is {
			r.add(entry)
		}
		next.Emit(e)
	})
}

// entry is what the record keeps of an event of a run; ok is false where it keeps nothing.
func (r *Recording) entry(run string, e runner.Event) (entry record.Entry, ok bool) {
	step := record.Step{Run: run, ID: string(e.Step), Title: e.Title}
	switch e.Type {
	case runner.RunStarted:
		return record.Entry{Run: &record.Run{ID: run, Command: r.o.Command, By: r.o.By, Version: r.o.Version, Position: e.Position}}, true
	case runner.RunFinished:
		return record.Entry{Run: &record.Run{ID: run, Command: r.o.Command, By: r.o.By, Version: r.o.Version, Position: e.Position, Ended: true, Error: text(e.Err)}}, true
	case runner.StepStarted:
	case runner.StepFinished:
		step.Outcome, step.Message = record.Finished, plaintext.Tidy(strings.Join(e.Lines, "; "))
	case runner.StepFailed:
		step.Outcome, step.Message = record.Failed, text(e.Err)
	case runner.StepDone:
		step.Outcome, step.Message = record.WasDone, plaintext.Tidy(e.Message)
	case runner.StepSkipped:
		step.Outcome, step.Message = record.Skipped, plaintext.Tidy(e.Message)
	case runner.LockTaken, runner.StepWaiting, runner.StepWarning, runner.BrakePulled, runner.Interrupting, runner.HungUp:
		return record.Entry{}, false
	}
	return record.Entry{Step: &step}, true
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return plaintext.Tidy(err.Error())
}
