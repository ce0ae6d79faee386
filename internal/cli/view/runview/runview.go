package runview

import (
	"io"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Run shows a run as it goes and how it ended.
type Run interface {
	runner.Sink
	// Finish shows the end. What it returns is marked as shown.
	Finish(runner.Result, error) error
	// MakeRoom ends what is drawn until the next step begins: a question comes.
	MakeRoom()
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
func NewRun(o Output, commands view.Commands) Run {
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

func newProgress(o Output, commands view.Commands, out io.Writer) progress {
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

// MakeRoom implements Run.
func (v *besideText) MakeRoom() { v.board.MakeRoom() }

// Finish implements Run.
func (v *besideText) Finish(result runner.Result, err error) error {
	v.board.leave()
	return v.textView.Finish(result, err)
}

// Above implements Run.
func (v *besideText) Above() io.Writer { return v.board.Above() }
