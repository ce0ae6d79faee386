package view

import (
	"io"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Run shows a run as it goes and how it ended.
type Run interface {
	runner.Sink
	// Finish shows the end. What it returns is marked as shown.
	Finish(runner.Result, error) error
	// Above takes lines of programs that a run has under way.
	Above() io.Writer
}

// Output is where a run is shown, and how.
type Output struct {
	Streams  console.Streams
	Format   string // text, json, jsonl, yaml
	Progress Progress
	Clock    clock.WithTicker // of a board
	Fallback Fallback         // nil: none
	Evidence func() Evidence  // asked for at the end; nil: none is kept
}

// Progress is how a run is shown while it works. The zero value is ProgressPlain.
type Progress string

const (
	// ProgressBoard draws what is in hand anew each second, on a terminal.
	ProgressBoard Progress = "board"
	// ProgressPlain prints lines.
	ProgressPlain Progress = "plain"
	// ProgressNone shows the end alone.
	ProgressNone Progress = "none"
)

// Fallback is where the output of a run goes on once nobody takes it any more.
type Fallback interface {
	// Where says so, for people.
	Where() string
	// OnTerminal says whether one of the streams is a terminal, which may go away.
	OnTerminal() bool
	// Watched says whether what is written to out still reaches where it was meant to go.
	Watched(out io.Writer) bool
	// Drawing is out for what only a terminal can use: it takes no other way.
	Drawing(out io.Writer) io.Writer
}

// NewRun is the view of a run in a format.
func NewRun(o Output, commands Commands) Run {
	switch o.Format {
	case "jsonl":
		return &eventStream{output: o, commands: commands, out: o.Streams.Out}
	case "json", "yaml":
		return &documentView{output: o, commands: commands, progress: newProgress(o, commands, o.Streams.Err)}
	}
	switch {
	case o.Progress == ProgressBoard && !o.Streams.OutTerminal: // the lines are kept, and the board is for who looks on
		return &besideText{board: newBoard(o, commands, o.Streams.Err), textView: newTextView(o, commands, o.Streams.Out)}
	case o.Progress == ProgressNone:
		return &endAlone{newTextView(o, commands, o.Streams.Out)}
	}
	return newProgress(o, commands, o.Streams.Out)
}

// progress shows a run beside the document at its end, or as all there is.
type progress interface {
	Run
	// leave ends what is drawn, for whoever writes next, and says how long the run took.
	leave() time.Duration
}

func newProgress(o Output, commands Commands, out io.Writer) progress {
	switch o.Progress {
	case ProgressBoard:
		return newBoard(o, commands, out)
	case ProgressNone:
		return &endAlone{newTextView(o, commands, out)}
	case ProgressPlain:
	}
	return newTextView(o, commands, out)
}

// endAlone prints nothing but how a run ended.
type endAlone struct{ *textView }

// Emit implements runner.Sink.
func (v *endAlone) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.note(e)
}

// besideText keeps every line of a run where no terminal is, and draws a board.
type besideText struct {
	*textView
	board *boardView
}

// Emit implements runner.Sink.
func (v *besideText) Emit(e runner.Event) {
	v.textView.Emit(e)
	v.board.Emit(e)
}

// Finish implements Run.
func (v *besideText) Finish(result runner.Result, err error) error {
	v.board.leave()
	return v.textView.Finish(result, err)
}

// Above implements Run.
func (v *besideText) Above() io.Writer { return v.board.Above() }

// RunResultDocument is the one document of a run that ended well.
type RunResultDocument struct {
	TypeMeta
	RunID       string             `json:"runID"`
	Position    string             `json:"position"`
	Observation runner.Observation `json:"observation"`
	Steps       []stepResult       `json:"steps"`
	Seconds     float64            `json:"seconds"`      // how long the run took
	Added       float64            `json:"addedSeconds"` // of which awsmigrate waited to see a state hold
	// Pauses are for how long at most nobody ran the cloud controllers, each time that they
	// changed hands while a step was waited for.
	Pauses []float64 `json:"pausedSeconds,omitempty"`
	// Compared is how much is as it was before the migration, by the last step that looked.
	Compared []runner.Compared `json:"compared,omitempty"`
	Next     string            `json:"next"` // the command for what is left, or a look
}

type stepResult struct {
	ID       journal.StepID `json:"id"`
	Outcome  runner.Outcome `json:"outcome"`
	Seconds  float64        `json:"seconds"`
	Evidence []string       `json:"evidence,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
}

func newRunResult(result runner.Result, took time.Duration, next string) RunResultDocument {
	doc := RunResultDocument{TypeMeta: KindOf("RunResult"), RunID: result.RunID, Position: result.Position,
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

// endDocument is RunResult for a run that ended well and Error otherwise.
func endDocument(commands Commands, result runner.Result, took time.Duration, err error) any {
	if err == nil {
		return newRunResult(result, took, commands.Next(result.Observation))
	}
	doc := NewErrorDocument(err)
	doc.Resume, doc.Left = result.Resume, result.Left
	return doc
}

// documentView prints one document at the end and progress on stderr.
type documentView struct {
	output   Output
	commands Commands
	progress progress
}

// Emit implements runner.Sink.
func (v *documentView) Emit(e runner.Event) { v.progress.Emit(e) }

// Above implements Run.
func (v *documentView) Above() io.Writer { return v.progress.Above() }

// Finish implements Run.
func (v *documentView) Finish(result runner.Result, err error) error {
	took := v.progress.leave()
	if writeErr := WriteDocument(v.output.Streams.Out, v.output.Format, endDocument(v.commands, result, took, err)); writeErr != nil {
		return writeErr
	}
	return Shown(err)
}

// eventStream prints every event as a JSON line, the last line being the
// RunResult or the Error.
type eventStream struct {
	output   Output
	commands Commands
	out      io.Writer
	mu       sync.Mutex
	ended    time.Duration
}

// EventDocument is one line of -o jsonl.
type EventDocument struct {
	TypeMeta
	runner.Event
	Error string `json:"error,omitempty"`
}

// Above implements Run.
func (v *eventStream) Above() io.Writer { return v.output.Streams.Err }

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
	doc := EventDocument{TypeMeta: TypeMeta{APIVersion: APIVersion, Kind: "Event"}, Event: e} // the stream's last document names the build
	if e.Err != nil {
		doc.Error = e.Err.Error()
	}
	_ = WriteDocument(v.out, "jsonl", doc) // nobody reads any more
}

// Finish implements Run.
func (v *eventStream) Finish(result runner.Result, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if writeErr := WriteDocument(v.out, "jsonl", endDocument(v.commands, result, v.ended, err)); writeErr != nil {
		return writeErr
	}
	return Shown(err)
}
