package runview

import (
	"fmt"
	"io"

	"github.com/awsmigrate/awsmigrate/internal/cli/board"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// writeQuestion prints the choices of a user who interrupts a rollout that continues without the run.
func writeQuestion(out io.Writer, left *runner.Left, commands view.Commands) {
	if left == nil {
		return
	}
	m := board.Interrupt{Left: left, Asks: true, Asking: true, Undoing: commands.Undoing}.Meaning()
	lines := []string{"", "!  " + m.Question}
	for _, choice := range m.Choices {
		lines = append(lines, "   "+choice)
	}
	lines = append(lines, "      to watch it then: "+commands.Status+" --watch")
	for _, line := range lines {
		_, _ = fmt.Fprintln(out, line)
	}
}

// WriteAnswer prints the choice.
func WriteAnswer(out io.Writer, chosen string) { _, _ = fmt.Fprintln(out, "   "+chosen) }

// Ask implements Run.
func (v *textView) Ask(left *runner.Left) { writeQuestion(v.Above(), left, v.commands) }

// interrupt returns what Ctrl-C means after a stop was requested. The caller holds v.mu.
func (v *textView) interrupt() board.Interrupt {
	at := board.Interrupt{Stopping: true, Undoing: v.commands.Undoing}
	if v.last != nil {
		at.Left = v.last.Left
	}
	return at
}
