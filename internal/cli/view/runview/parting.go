package runview

import (
	"cmp"
	"fmt"
	"io"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// WriteParting prints the choices of a user who interrupts a rollout that continues without the run.
func WriteParting(out io.Writer, left runner.Left) {
	lines := []string{
		"",
		fmt.Sprintf("!  Ctrl-C: %d of %d %s are changed, and %s goes on with the rest, watched or not.", left.Changed, left.Total, cmp.Or(left.Of, "machines"), left.By),
		"   w  keep watching: the rollout can still be paused",
	}
	if left.Brakes {
		lines = append(lines, fmt.Sprintf("   b  brake now: %s is held behind the machine in hand, and the run ends", left.By))
	}
	lines = append(lines, "   l  leave, or press Ctrl-C again: the rest is neither watched nor paused; see status --watch")
	for _, line := range lines {
		_, _ = fmt.Fprintln(out, line)
	}
}

// WriteAnswer prints the choice.
func WriteAnswer(out io.Writer, chosen string) { _, _ = fmt.Fprintln(out, "   "+chosen) }
