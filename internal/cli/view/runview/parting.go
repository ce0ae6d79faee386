package runview

import (
	"io"

	"github.com/awsmigrate/awsmigrate/internal/cli/board"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// writeQuestion prints the choices of a user who interrupts a rollout that continues without the run.
func writeQuestion(s console.Screen, left *runner.Left, commands view.Commands) {
	if left == nil {
		return
	}
	m := board.Interrupt{Left: left, Asks: true, Asking: true, Undoing: commands.Undoing}.Meaning()
	s.Line("")
	s.Prose("!  ", m.Question)
	for _, choice := range m.Choices {
		s.Hang("   " + choice)
	}
	s.Command("      to watch it then: ", commands.Status+" --watch")
}

// screenAbove returns the screen for lines above a board.
func screenAbove(streams console.Streams, above io.Writer) console.Screen {
	return console.NewScreen(streams, streams.Err).Above(above)
}

// WriteAnswer prints the choice.
func WriteAnswer(out io.Writer, chosen string) { _, _ = io.WriteString(out, "   "+chosen+"\n") }

// Ask implements Run.
func (v *textView) Ask(left *runner.Left) {
	writeQuestion(screenAbove(v.streams, v.Above()), left, v.commands)
}

// interrupt returns what Ctrl-C means after a stop was requested. The caller holds v.mu.
func (v *textView) interrupt() board.Interrupt {
	at := board.Interrupt{Stopping: true, Undoing: v.commands.Undoing}
	if v.last != nil {
		at.Left = v.last.Left
	}
	return at
}
