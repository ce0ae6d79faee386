package runview

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/board"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// boardView shows the running step in a frame at the end of the terminal, and finished steps in lines above
// it. Emit only stores an event: a slow or blocked terminal does not delay the run.
type boardView struct {
	streams  console.Streams
	fallback Fallback // or nil
	clock    clock.WithTicker
	out      io.Writer
	painter  board.Painter // used by paint only

	mu      sync.Mutex
	text    *textView // writes the permanent lines
	state   board.State
	stay    bytes.Buffer // permanent lines that are not on the screen yet
	partial []byte       // of a line of another program
	work    *boardWork   // nil while nothing is drawn
	drawn   bool         // whether drawing has started once
	quiet   bool         // whether a question is open
}

// boardWork is a running painter.
type boardWork struct {
	wake        chan struct{} // signals new content
	quit, ended chan struct{}
}

func newBoard(o Output, commands view.Commands, out io.Writer) *boardView {
	v := &boardView{streams: o.Streams, fallback: o.Fallback, clock: o.Clock, out: out, painter: board.Painter{Screen: out}}
	if v.fallback != nil {
		v.painter.Screen = v.fallback.Drawing(out)
	}
	v.state = board.Keyed(board.Interrupt{Asks: o.Asks, Undoing: commands.Undoing, Following: commands.Following})
	v.text = newTextView(o, commands, out)
	v.text.screen.Out, v.text.board = &v.stay, v
	return v
}

// Emit implements runner.Sink.
func (v *boardView) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text.unwatch() // later lines may go to a file
	v.state = v.state.After(e)
	v.quiet = v.quiet && e.Type != runner.StepStarted && e.Type != runner.StepWaiting && e.Type != runner.LockTaken
	v.text.Emit(e)
	switch {
	case v.work != nil:
		v.work.nudge()
	case v.state.HasStep() && !v.drawn && !v.quiet:
		v.begin()
	default:
		v.flush()
	}
}

// begin starts drawing. The caller holds v.mu.
func (v *boardView) begin() {
	v.work = &boardWork{wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{})}
	v.drawn = true
	v.work.nudge()
	go v.paint(v.work)
}

func (w *boardWork) nudge() {
	select {
	case w.wake <- struct{}{}:
	default: // it will draw anyway
	}
}

// paint draws every second, after news, and after a resize.
func (v *boardView) paint(w *boardWork) {
	defer close(w.ended)
	ticker := v.clock.NewTicker(time.Second)
	defer ticker.Stop()
	var resized <-chan os.Signal
	if v.streams.Resized != nil {
		var stop func()
		resized, stop = v.streams.Resized()
		defer stop()
	}
	for {
		select {
		case <-w.wake:
		case <-ticker.C():
		case <-resized:
		case <-w.quit:
			v.painter.Clear()
			return
		}
		v.frame()
	}
}

// frame prints new lines above the frame and draws it.
func (v *boardView) frame() {
	v.mu.Lock()
	look := v.look()
	lines, now := bytes.Clone(v.stay.Bytes()), v.clock.Now()
	v.stay.Reset()
	var frame []string
	if v.text.board != nil {
		frame = board.Render(v.state, now, look)
	}
	v.mu.Unlock()
	if len(lines) > 0 {
		v.painter.Clear()
		_, _ = v.out.Write(lines)
	}
	v.painter.Draw(frame, look.Width)
}

// flush prints new lines if nothing is drawn. The caller holds v.mu.
func (v *boardView) flush() {
	_, _ = v.stay.WriteTo(v.out)
	v.stay.Reset()
}

// look returns what the terminal can show now.
func (v *boardView) look() board.Look {
	look := board.Look{Width: usualWidth, Colour: v.streams.Color, Unicode: v.streams.UTF8(), Wide: v.streams.WideLocale()}
	if v.streams.Width != nil {
		if width := v.streams.Width(); width > 0 {
			look.Width = width
		}
	}
	if v.streams.Height != nil {
		look.Height = v.streams.Height()
	}
	if v.text.board != nil {
		v.text.screen.Width = look.Width
	}
	return look
}

// usualWidth is the width of a terminal with unknown size.
const usualWidth = 80

// Above implements Run. It accepts whole lines and prints them above the frame.
func (v *boardView) Above() io.Writer { return aboveWriter{v} }

type aboveWriter struct{ v *boardView }

// Write implements io.Writer.
func (a aboveWriter) Write(text []byte) (int, error) {
	v := a.v
	v.mu.Lock()
	defer v.mu.Unlock()
	v.partial = append(v.partial, text...)
	for {
		line, rest, whole := bytes.Cut(v.partial, []byte("\n"))
		if !whole {
			break
		}
		v.text.screen.Line("%s", line)
		v.partial = bytes.Clone(rest)
	}
	if v.work == nil {
		v.flush()
	} else {
		v.work.nudge()
	}
	return len(text), nil
}

// leave implements progress. It removes the frame and prints all lines.
func (v *boardView) leave() time.Duration {
	v.mu.Lock()
	work := v.work
	v.work = nil
	v.mu.Unlock()
	if work != nil {
		close(work.quit)
		<-work.ended
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.flush()
	return v.text.ended
}

// MakeRoom implements Run.
func (v *boardView) MakeRoom() {
	v.leave()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.drawn, v.quiet = false, true
}

// Ask implements Run.
func (v *boardView) Ask(left *runner.Left) {
	v.mu.Lock()
	v.state = v.state.Ask(left)
	if v.work != nil {
		v.work.nudge()
	}
	v.mu.Unlock()
	writeQuestion(screenAbove(v.streams, v.Above()), left, v.text.commands)
}

// Finish implements Run.
func (v *boardView) Finish(result runner.Result, err error) error {
	took := v.leave()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text.screen.Out = v.out
	if v.text.board == nil { // the output goes to a file
		return v.text.Finish(result, err)
	}
	if err != nil {
		v.text.writeStop(result, err)
		return view.Shown(err)
	}
	writeEnd(v.text.screen, ending{result, took, v.text.evidence()}, v.text.commands)
	return nil
}
