package runview

import "github.com/awsmigrate/awsmigrate/pkg/runner"

// writesOf names every place that the edits of a step write. An undo shows it with
// --yes, too: others may be able to write to the journal that it goes by.
func writesOf(changes []runner.Change) []string {
	var lines []string
	for _, c := range changes {
		for _, place := range c.Places() {
			lines = append(lines, "writes "+c.Object+": "+place)
		}
	}
	return lines
}
