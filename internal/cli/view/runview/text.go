package runview

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// textView prints a run as permanent lines for people: one for each change, and occasional ones during a
// wait.
type textView struct {
	streams  console.Streams
	fallback Fallback // or nil
	evidence func() Evidence
	commands view.Commands
	screen   console.Screen
	steps    int // columns of a step's name
	mu       sync.Mutex
	now      time.Time  // of the last event
	board    *boardView // shows the running step, or nil if the lines do
	shown    shownWait
	ended    time.Duration // duration of the run, set at its end
	begun    bool          // whether a step has begun
	paused   bool
	last     *runner.Wait // the last wait of the current step
}

func newTextView(o Output, commands view.Commands, out io.Writer) *textView {
	v := &textView{streams: o.Streams, fallback: o.Fallback, evidence: o.evidence, commands: commands, screen: console.NewScreen(o.Streams, out), steps: view.ForwardSteps}
	if commands.Undoing {
		v.steps = undoSteps
	}
	return v
}

// Emit implements runner.Sink.
func (v *textView) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.recordEnd(e)
	switch e.Type {
	case runner.RunStarted:
		if !v.commands.Following { // a watching process is not the run
			v.line("", "run "+e.Message+", from "+e.Position)
		}
	case runner.LockTaken:
		if v.fallback != nil && v.fallback.OnTerminal() {
			v.line("   ", v.fallback.Where())
		}
	case runner.StepDone:
		v.row("✓", e.Step, e.Message, "")
	case runner.StepSkipped:
		v.row("–", e.Step, "skipped: "+e.Message, "")
	case runner.StepStarted:
		v.writeProgress("◐  "+v.step(e.Step)+"  ", e.Title)
		if v.commands.Undoing {
			v.details(writesOf(e.Changes))
		}
	case runner.StepWaiting:
		v.writeWait(e)
	case runner.StepWarning:
		v.line("   !  ", e.Message)
		v.details(e.Lines)
	case runner.StepFinished:
		v.writeFinished(e)
	case runner.StepFailed:
		v.row("✗", e.Step, v.progressAt(e.Left), short(e.Elapsed))
	case runner.RolloutPaused:
		v.line("   ", "rollout paused: "+e.Message)
	case runner.Interrupting:
		v.line("   ", "interrupted: "+e.Message+"; "+v.interrupt().Meaning().Again)
	case runner.HungUp:
		v.unwatch()
		v.line("   ", "hang-up: "+e.Message)
	case runner.RunFinished:
	}
}

// recordEnd stores what the end of a run is printed with.
func (v *textView) recordEnd(e runner.Event) {
	v.now = e.Time
	switch e.Type { //nolint:exhaustive // the end does not depend on others
	case runner.StepStarted:
		v.begun, v.shown, v.last = true, shownWait{}, nil
	case runner.StepWaiting:
		if e.Waiting != nil && !e.Waiting.Met {
			v.last = e.Waiting
		}
	case runner.RolloutPaused:
		v.paused = true
	case runner.RunFinished:
		v.ended = e.Elapsed
	}
}

// Above implements Run.
func (v *textView) Above() io.Writer { return v.streams.Err }

// MakeRoom implements Run. Nothing is drawn.
func (v *textView) MakeRoom() {}

// leave implements progress.
func (v *textView) leave() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ended
}

// progressAt describes how far the current step had progressed.
func (v *textView) progressAt(left *runner.Left) string {
	if left != nil && left.GoesOn {
		return fmt.Sprintf("left at %d of %d", left.Changed, left.Total)
	}
	if v.last == nil || v.last.Total == 0 {
		return "stopped"
	}
	return fmt.Sprintf("stopped at %d of %d", v.last.Done, v.last.Total)
}

func (v *textView) writeFinished(e runner.Event) {
	text, rest := "", e.Lines
	if len(rest) > 0 {
		text, rest = rest[0], rest[1:]
	}
	v.row("✓", e.Step, text, short(e.Elapsed))
	v.details(rest)
}

func (v *textView) details(lines []string) {
	for _, line := range lines {
		v.line(console.Hanging("   " + line))
	}
}

// row prints the line of one step.
func (v *textView) row(mark string, step journal.StepID, text, tail string) {
	v.print(mark+"  "+v.step(step)+"  ", text, tail)
}

// undoSteps is the width of the longest step name of an undo.
const undoSteps = 29

// step returns a step's name, padded to its column.
func (v *textView) step(id journal.StepID) string { return fmt.Sprintf("%-*s", v.steps, id) }

func (v *textView) line(prefix, text string) { v.print(prefix, text, "") }

// writeProgress prints a line about the running step, unless a board shows it.
func (v *textView) writeProgress(prefix, text string) {
	if v.board == nil {
		v.line(prefix, text)
	}
}

// print prints a prefix, a text, and a tail at the right end. On a terminal the text is wrapped. Elsewhere the
// output is the log of the run: each line is whole and begins with its time.
func (v *textView) print(prefix, text, tail string) {
	stamp := ""
	if !v.screen.Terminal {
		stamp = v.now.UTC().Format(clockTime) + "  "
	}
	for _, line := range v.screen.Layout.Row(prefix, v.screen.Plain(text), tail) {
		v.screen.Line("%s%s", stamp, line)
	}
}

// clockTime is the format of a line's time. The run's ID on the first line contains the day.
const clockTime = "15:04:05Z"

// unwatch stops drawing once the lines go to a file.
func (v *textView) unwatch() {
	if v.fallback != nil && !v.fallback.Watched(v.out()) {
		v.board, v.screen = nil, v.screen.Piped()
	}
}

// out returns the writer that receives the lines.
func (v *textView) out() io.Writer {
	if v.board != nil {
		return v.board.out
	}
	return v.screen.Out
}

// Finish prints how the run ended and how to continue.
func (v *textView) Finish(result runner.Result, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.writeStop(result, err)
		return view.Shown(err)
	}
	writeEnd(v.screen, ending{result, v.ended, v.evidence()}, v.commands)
	return nil
}

// addedText describes how much of a run's time awsmigrate waited for a state to hold.
func addedText(added, all time.Duration) string {
	if added < 50*time.Millisecond || all <= 0 { // 0.0s says nothing
		return ""
	}
	return fmt.Sprintf(", %s of it added by awsmigrate (%.1f %%)", short(added), 100*added.Seconds()/all.Seconds())
}

// short rounds a duration to a useful precision.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
