package runview

import (
	"cmp"
	"fmt"
	"io"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// WriteParting prints what somebody can choose who interrupts a run that others go on
// with, in whole lines.
func WriteParting(out io.Writer, left runner.Left) {
	lines := []string{
		"",
		fmt.Sprintf("!  Ctrl-C: %d of %d %s are changed, and %s goes on with the rest, watched or not.", left.Changed, left.Total, cmp.Or(left.Of, "machines"), left.By),
		"   w  go on watching: the brake stays armed",
	}
	if left.Brakes {
		lines = append(lines, fmt.Sprintf("   b  brake now: %s is held behind the machine in hand, and the run ends", left.By))
	}
	lines = append(lines, "   l  leave, or Ctrl-C again: nobody watches the rest, and nobody brakes; status --watch shows it")
	for _, line := range lines {
		_, _ = fmt.Fprintln(out, line)
	}
}

// WriteAnswer prints what was chosen.
func WriteAnswer(out io.Writer, chosen string) { _, _ = fmt.Fprintln(out, "   "+chosen) }
