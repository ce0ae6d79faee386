package runview

import "github.com/awsmigrate/awsmigrate/pkg/runner"

// writesOf lists every place that a step's edits write. An undo prints it even with --yes, because others may
// be able to write to its journal.
func writesOf(changes []runner.Change) []string {
	var lines []string
	for _, c := range changes {
		for _, place := range c.Places() {
			lines = append(lines, "writes "+c.Object+": "+place)
		}
	}
	return lines
}
