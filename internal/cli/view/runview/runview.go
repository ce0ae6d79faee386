package runview

import (
	"io"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Run shows a run while it works and how it ended.
type Run interface {
	runner.Sink
	// Finish shows the end. It marks the returned error as shown.
	Finish(runner.Result, error) error
	// MakeRoom stops drawing until the next step begins, because a question follows.
	MakeRoom()
	// Ask shows the choices of a user who interrupts a rollout, or ends that question if left is nil.
	Ask(left *runner.Left)
	// Above accepts the lines of programs that the run has started.
	Above() io.Writer
}

// Output describes where and how a run is shown.
type Output struct {
	Streams  console.Streams
	Format   string // text, json, jsonl, yaml
	Progress Progress
	Clock    clock.WithTicker // of a board
	Fallback Fallback         // or nil
	Evidence func() Evidence  // called at the end, or nil
	Asks     bool             // an interrupt can ask the user
}

// Progress selects how a run is shown while it works. Its zero value acts as ProgressPlain.
type Progress string

const (
	// ProgressBoard draws the running step every second, on a terminal.
	ProgressBoard Progress = "board"
	// ProgressPlain prints lines.
	ProgressPlain Progress = "plain"
	// ProgressNone shows only the end.
	ProgressNone Progress = "none"
)

// Fallback receives output after the terminal disconnects.
type Fallback interface {
	// Where describes its location for people.
	Where() string
	// OnTerminal reports whether one of the streams is a terminal, which may disconnect.
	OnTerminal() bool
	// Watched reports whether out is still connected.
	Watched(out io.Writer) bool
	// Drawing returns out for output that only a terminal can use. It is not redirected.
	Drawing(out io.Writer) io.Writer
}

// NewRun returns the view of a run for a format.
func NewRun(o Output, commands view.Commands) Run {
	switch o.Format {
	case "jsonl":
		return &eventStream{output: o, commands: commands, out: o.Streams.Out}
	case "json", "yaml":
		return &documentView{output: o, commands: commands, progress: newProgress(o, commands, o.Streams.Err)}
	}
	switch {
	case o.Progress == ProgressBoard && !o.Streams.OutTerminal: // stdout gets the lines, the terminal a board
		return &textWithBoard{board: newBoard(o, commands, o.Streams.Err), textView: newTextView(o, commands, o.Streams.Out)}
	case o.Progress == ProgressNone:
		return &endView{newTextView(o, commands, o.Streams.Out)}
	}
	return newProgress(o, commands, o.Streams.Out)
}

// progress shows a run while it works. A document may follow at its end.
type progress interface {
	Run
	// leave stops drawing before other output, and returns the duration of the run.
	leave() time.Duration
}

func newProgress(o Output, commands view.Commands, out io.Writer) progress {
	switch o.Progress {
	case ProgressBoard:
		return newBoard(o, commands, out)
	case ProgressNone:
		return &endView{newTextView(o, commands, out)}
	case ProgressPlain:
	}
	return newTextView(o, commands, out)
}

// endView prints only how a run ended.
type endView struct{ *textView }

// Emit implements runner.Sink.
func (v *endView) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.recordEnd(e)
}

// textWithBoard writes every line of a run to a file or pipe, and draws a board on the terminal.
type textWithBoard struct {
	*textView
	board *boardView
}

// Emit implements runner.Sink.
func (v *textWithBoard) Emit(e runner.Event) {
	v.textView.Emit(e)
	v.board.Emit(e)
}

// MakeRoom implements Run.
func (v *textWithBoard) MakeRoom() { v.board.MakeRoom() }

// Ask implements Run.
func (v *textWithBoard) Ask(left *runner.Left) { v.board.Ask(left) }

// Finish implements Run.
func (v *textWithBoard) Finish(result runner.Result, err error) error {
	v.board.leave()
	return v.textView.Finish(result, err)
}

// Above implements Run.
func (v *textWithBoard) Above() io.Writer { return v.board.Above() }
