package runview

import (
	"io"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// RunResultDocument is the document of a successful run.
type RunResultDocument struct {
	view.TypeMeta
	RunID       string             `json:"runID"`
	Position    string             `json:"position"`
	Observation runner.Observation `json:"observation"`
	Steps       []stepResult       `json:"steps"`
	Seconds     float64            `json:"seconds"`      // duration of the run
	Added       float64            `json:"addedSeconds"` // of which awsmigrate waited for a state to hold
	// Pauses holds the maximum duration of each pause of the cloud controllers that a step waited
	// through.
	Pauses []float64 `json:"pausedSeconds,omitempty"`
	// Compared holds the comparisons with the state before the migration, by the last step that made
	// them.
	Compared []runner.Compared `json:"compared,omitempty"`
	Next     string            `json:"next"` // the command for the rest, or for the status
}

type stepResult struct {
	ID       journal.StepID `json:"id"`
	Outcome  runner.Outcome `json:"outcome"`
	Seconds  float64        `json:"seconds"`
	Evidence []string       `json:"evidence,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
}

func newRunResult(result runner.Result, took time.Duration, next string) RunResultDocument {
	doc := RunResultDocument{TypeMeta: view.KindOf("RunResult"), RunID: result.RunID, Position: result.Position,
		Observation: result.Observation, Seconds: took.Seconds(), Added: result.Added.Seconds(), Compared: result.Compared(), Next: next}
	for _, pause := range result.Pauses {
		doc.Pauses = append(doc.Pauses, pause.Seconds())
	}
	for _, s := range result.Steps {
		doc.Steps = append(doc.Steps, stepResult{ID: s.ID, Outcome: s.Outcome, Seconds: s.Elapsed.Seconds(),
			Evidence: s.Evidence, Warnings: s.Warnings})
	}
	return doc
}

// endDocument returns a RunResult for a successful run, else an Error.
func endDocument(commands view.Commands, result runner.Result, took time.Duration, err error) any {
	if err == nil {
		return newRunResult(result, took, commands.Next(result.Observation))
	}
	doc := view.NewErrorDocument(err)
	doc.Resume, doc.Left = result.Resume, result.Left
	return doc
}

// documentView prints one document at the end, and the progress on stderr.
type documentView struct {
	output   Output
	commands view.Commands
	progress progress
}

// Emit implements runner.Sink.
func (v *documentView) Emit(e runner.Event) { v.progress.Emit(e) }

// Above implements Run.
func (v *documentView) Above() io.Writer { return v.progress.Above() }

// MakeRoom implements Run.
func (v *documentView) MakeRoom() { v.progress.MakeRoom() }

// Ask implements Run.
func (v *documentView) Ask(left *runner.Left) { v.progress.Ask(left) }

// Finish implements Run.
func (v *documentView) Finish(result runner.Result, err error) error {
	took := v.progress.leave()
	if writeErr := view.WriteDocument(v.output.Streams.Out, v.output.Format, endDocument(v.commands, result, took, err)); writeErr != nil {
		return writeErr
	}
	return view.Shown(err)
}

// eventStream prints every event as a JSON line. The last line is the RunResult or the Error.
type eventStream struct {
	output   Output
	commands view.Commands
	out      io.Writer
	mu       sync.Mutex
	ended    time.Duration
}

// EventDocument is one line of -o jsonl.
type EventDocument struct {
	view.TypeMeta
	runner.Event
	Error string `json:"error,omitempty"`
}

// Above implements Run.
func (v *eventStream) Above() io.Writer { return v.output.Streams.Err }

// MakeRoom implements Run. Nothing is drawn.
func (v *eventStream) MakeRoom() {}

// Ask implements Run. No user is asked.
func (v *eventStream) Ask(*runner.Left) {}

// Emit implements runner.Sink.
func (v *eventStream) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	e.Seconds = e.Elapsed.Seconds()
	if e.Type == runner.RunFinished {
		v.ended = e.Elapsed
	}
	if v.output.Fallback != nil && e.Type == runner.LockTaken {
		e.Message = v.output.Fallback.Where()
	}
	doc := EventDocument{TypeMeta: view.TypeMeta{APIVersion: view.APIVersion, Kind: "Event"}, Event: e} // the stream's last document names the build
	if e.Err != nil {
		doc.Error = e.Err.Error()
	}
	_ = view.WriteDocument(v.out, "jsonl", doc) // the reader may be gone
}

// Finish implements Run.
func (v *eventStream) Finish(result runner.Result, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if writeErr := view.WriteDocument(v.out, "jsonl", endDocument(v.commands, result, v.ended, err)); writeErr != nil {
		return writeErr
	}
	return view.Shown(err)
}
