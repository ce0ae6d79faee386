package view

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// textView prints a run for people: one line per change, and while it waits on
// a terminal a block that is redrawn, elsewhere a line now and then.
type textView struct {
	streams  Streams
	fallback Fallback // nil: none
	commands Commands
	screen   screen
	mu       sync.Mutex
	live     int // lines at the end of the terminal that may be redrawn
	shown    shownWait
	ended    time.Duration // how long the run took, once it is over
	begun    bool          // a step was begun
	braked   bool
	last     *runner.Wait // of the current step
}

func newTextView(o Output, commands Commands, out io.Writer) *textView {
	s := newScreen(o.Streams, out)
	if commands.Undoing {
		s.steps = undoSteps
	}
	return &textView{streams: o.Streams, fallback: o.Fallback, commands: commands, screen: s}
}

// Emit implements runner.Sink.
func (v *textView) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e.Type {
	case runner.RunStarted:
		v.line("run %s, from %s", e.Message, e.Position)
	case runner.LockTaken:
		if v.fallback != nil && v.fallback.OnTerminal() {
			v.line("   %s", v.fallback.Where())
		}
	case runner.StepDone:
		v.row("✓", e.Step, e.Message, "")
	case runner.StepSkipped:
		v.row("–", e.Step, "skipped: "+e.Message, "")
	case runner.StepStarted:
		v.begun, v.shown, v.last = true, shownWait{}, nil
		v.redraw(v.screen.fit("◐  %s  %s", v.screen.step(e.Step), e.Title))
	case runner.StepWaiting:
		v.waiting(e)
	case runner.StepWarning:
		v.line("   !  %s", e.Message)
		v.details(e.Lines)
	case runner.StepFinished:
		v.finished(e)
	case runner.StepFailed:
		v.row("✗", e.Step, v.stoppedAt(e.Left), short(e.Elapsed))
	case runner.BrakePulled:
		v.braked = true
		v.line("   brake pulled: %s", e.Message)
	case runner.Interrupting:
		v.line("   interrupted: %s; once more to leave at once", e.Message)
	case runner.HungUp:
		v.unwatch()
		v.line("   hang-up: %s", e.Message)
	case runner.RunFinished:
		v.ended = e.Elapsed
	}
}

// stoppedAt is how far the current step had come.
func (v *textView) stoppedAt(left *runner.Left) string {
	if left != nil && left.GoesOn {
		return fmt.Sprintf("left at %d of %d", left.Changed, left.Total)
	}
	if v.last == nil || v.last.Total == 0 {
		return "stopped"
	}
	return fmt.Sprintf("stopped at %d of %d", v.last.Done, v.last.Total)
}

func (v *textView) finished(e runner.Event) {
	text, rest := "", e.Lines
	if len(rest) > 0 {
		text, rest = rest[0], rest[1:]
	}
	v.row("✓", e.Step, text, short(e.Elapsed))
	v.details(rest)
}

func (v *textView) details(lines []string) {
	for _, line := range lines {
		v.line("   %s", line)
	}
}

// row prints one step's line of a table.
func (v *textView) row(mark string, step journal.StepID, text, tail string) {
	v.clear()
	for _, line := range tableRow(fmt.Sprintf("%s  %s  ", mark, v.screen.step(step)), v.screen.plain(text), tail, v.screen.width) {
		v.screen.line("%s", line)
	}
}

// line prints a line that stays.
func (v *textView) line(format string, args ...any) {
	v.clear()
	v.screen.line(format, args...)
}

// redraw prints lines that the next ones replace on a terminal. Elsewhere they
// stay, like any other.
func (v *textView) redraw(lines ...string) {
	v.clear()
	if !v.screen.terminal {
		for _, line := range lines {
			v.screen.line("%s", line)
		}
		return
	}
	painted := make([]string, len(lines))
	for i, line := range lines {
		painted[i] = v.screen.paint(line)
	}
	fmt.Fprint(v.screen.out, strings.Join(painted, "\n"))
	v.live = len(lines)
}

func (v *textView) clear() {
	for ; v.live > 0; v.live-- {
		fmt.Fprint(v.screen.out, "\r\x1b[2K")
		if v.live > 1 {
			fmt.Fprint(v.screen.out, "\x1b[1A")
		}
	}
}

// unwatch draws nothing any more once the lines go to a file.
func (v *textView) unwatch() {
	if v.fallback != nil && !v.fallback.Watched(v.screen.out) {
		v.live, v.screen.terminal, v.screen.colour, v.screen.width = 0, false, false, pipedWidth
	}
}

// leave ends the block that is redrawn, for whoever writes next.
func (v *textView) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
}

// Finish prints how the run ended and how to go on.
func (v *textView) Finish(result runner.Result, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	if err != nil {
		v.stopped(result, err)
		return Shown(err)
	}
	v.screen.line("")
	v.screen.line("now    %s   %s", result.Position, result.Observation.Summary)
	v.screen.line("time   %s%s", short(v.ended), addedText(result.Added, v.ended))
	v.screen.line("next   %s", v.commands.Next(result.Observation))
	return nil
}

// addedText says how much of a run's time was the tool's own waiting for a
// state to hold.
func addedText(added, all time.Duration) string {
	if added <= 0 || all <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s of it added by awsmigrate (%.1f %%)", short(added), 100*added.Seconds()/all.Seconds())
}

// short rounds a duration to what a reader needs.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
