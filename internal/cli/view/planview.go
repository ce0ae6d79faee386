package view

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// WritePlan prints the steps, then every change: short ones as diffs, long ones and rendered objects by name
// unless full is set. WriteSum prints its end.
func WritePlan(streams console.Streams, header []string, steps []runner.PlannedStep, full bool) {
	s := console.NewScreen(streams, streams.Out)
	s.Header(header)
	s.Line("")
	writePlanTable(s, steps)
	limit := diffLimit(steps)
	if full {
		limit = math.MaxInt
	}
	folded := false
	for number, step := range steps {
		folded = writeChanges(s, number+1, step, limit) || folded
	}
	if folded {
		s.Line("")
		s.Prose("", "with --diff: the lines of every object")
	}
}

// WritePublishedPlan prints a plan that a ClusterMigration has published, with every line that an approval
// covers. Such a plan holds no estimates.
func WritePublishedPlan(streams console.Streams, header []string, steps []runner.PlannedStep) {
	s := console.NewScreen(streams, streams.Out)
	s.Header(header)
	s.Line("")
	writePlanTable(s, steps)
	for number, step := range steps {
		writeChanges(s, number+1, step, math.MaxInt)
	}
}

// WriteSteps prints the steps on stderr for approval: a block of lines for each step, without its changes.
// The question states their cost.
func WriteSteps(streams console.Streams, header []string, steps []runner.PlannedStep) {
	s := console.NewScreen(streams, streams.Err)
	s.Header(header)
	writePlanTable(s, steps)
}

// WriteForeseen prints the results of a plan's checks. stops is the error that would stop the run, or nil.
func WriteForeseen(streams console.Streams, lines []string, stops error) {
	s := console.NewScreen(streams, streams.Out)
	if stops != nil && len(lines) == 0 {
		for _, one := range Flatten(stops) {
			for _, line := range faultLines(one) {
				lines = append(lines, line.label+line.text)
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	s.Line("")
	for _, line := range lines {
		if fix, found := strings.CutPrefix(line, foreseenFix); found {
			s.Remedy(foreseenFix, fix)
			continue
		}
		s.Hang(line)
	}
}

// foreseenFix begins the line of a fix.
const foreseenFix = "   fix: "

// ForwardSteps is the width of the longest step name of a migration.
const ForwardSteps = 24

// writePlanTable prints one block of lines for each step.
func writePlanTable(s console.Screen, steps []runner.PlannedStep) {
	columns := ForwardSteps
	for _, step := range steps {
		columns = max(columns, len(step.ID))
	}
	for number, step := range steps {
		prefix := fmt.Sprintf("%2d  %-*s  ", number+1, columns, step.ID)
		for i, text := range planLines(step) {
			tail := ""
			if i == 0 {
				tail = planTail(step)
			}
			if !s.HasColumn(prefix) && tail == "" { // all texts begin below the step
				if i == 0 {
					s.Line("%s", prefix)
				}
				s.Prose("    ", text)
				continue
			}
			s.Row(prefix, text, tail)
			prefix = strings.Repeat(" ", utf8.RuneCountInString(prefix))
		}
	}
}

func planLines(step runner.PlannedStep) []string {
	switch step.State.Kind {
	case runner.Done:
		return []string{"✓ " + step.State.Reason}
	case runner.Skipped:
		return []string{"– skipped: " + step.State.Reason}
	case runner.Todo, runner.InProgress, runner.Always:
	}
	lines := append([]string{}, step.Summary...)
	if len(lines) == 0 {
		lines = []string{step.Title}
	}
	if step.Irreversible != "" {
		lines = append(lines, "! irreversible: "+step.Irreversible)
	}
	return append(lines, step.Notes...)
}

// planTail returns a tail of the same width for every row, so that the texts wrap at the same column.
func planTail(step runner.PlannedStep) string {
	rolls := ""
	if step.Rolls > 0 {
		rolls = fmt.Sprintf("rolls %d", step.Rolls)
	}
	if rolls == "" && step.Takes == 0 {
		return ""
	}
	return fmt.Sprintf("%-8s %5s", rolls, step.Takes)
}

const (
	// maxDiffLines is the number of a diff's lines that are shown without --diff.
	maxDiffLines = 20
	// maxPlanDiff is the number of lines of all diffs that are shown without --diff.
	maxPlanDiff = 40
)

// diffLimit returns the number of lines up to which a diff is shown: none in a plan with many.
func diffLimit(steps []runner.PlannedStep) int {
	shown := 0
	for _, step := range steps {
		if !hasChanges(step) {
			continue
		}
		for _, change := range step.Changes {
			if n := len(diffLines(change)); change.Form != runner.ObjectDiff && n <= maxDiffLines {
				shown += n
			}
		}
	}
	if shown > maxPlanDiff {
		return 0
	}
	return maxDiffLines
}

// hasChanges reports whether the changes of a step are still to do.
func hasChanges(step runner.PlannedStep) bool {
	return step.State.Kind != runner.Done && step.State.Kind != runner.Skipped
}

// writeChanges prints the changes of a step, those with more than limit lines by name, and reports whether it
// omitted lines.
func writeChanges(s console.Screen, number int, step runner.PlannedStep, limit int) bool {
	if !hasChanges(step) {
		return false
	}
	folded, last := false, ""
	for _, change := range step.Changes {
		if change.Diff == "" { // its row in the table describes it
			continue
		}
		lines := diffLines(change)
		if len(lines) > limit || change.Form == runner.ObjectDiff && limit < math.MaxInt {
			if !folded {
				s.Line("")
				s.Prose("", fmt.Sprintf("step %d, %s", number, step.ID))
			}
			folded, last = true, ""
			s.DiffLine("  ", foldedChange(change, lines))
			continue
		}
		if change.Object != last {
			s.Line("")
			s.Prose("", fmt.Sprintf("%s, step %d", change.Object, number))
			last = change.Object
		}
		if change.Location != "" {
			s.Prose("  ", change.Location)
		}
		for _, line := range lines {
			s.DiffLine("  ", line)
		}
	}
	return folded
}

// diffLines returns a diff without the two lines that name the files of a unified diff.
func diffLines(change runner.Change) []string {
	lines := strings.Split(strings.TrimRight(change.Diff, " \n"), "\n")
	if change.Form != runner.FieldDiff && len(lines) > 2 {
		return lines[2:]
	}
	return lines
}

// foldedChange returns one line for an added, removed or changed object.
func foldedChange(change runner.Change, lines []string) string {
	added, removed, kept, whole := 0, 0, 0, change.Form != runner.FieldDiff
	for _, line := range lines {
		if !whole {
			line = strings.TrimPrefix(line, "  ") // diffs of pkg/rke2/config/edits are indented by two
		}
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		case !strings.HasPrefix(line, "@@ ") && strings.TrimSpace(line) != "":
			kept++
		}
	}
	name := strings.TrimSpace(change.Object + " " + change.Location)
	switch {
	case whole && removed+kept == 0:
		return fmt.Sprintf("+ %s (%d lines)", name, added)
	case whole && added+kept == 0:
		return fmt.Sprintf("- %s (%d lines)", name, removed)
	}
	return fmt.Sprintf("~ %s (+%d −%d)", name, added, removed)
}
