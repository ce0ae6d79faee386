package view

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// WritePlan prints the steps on one screen, then every change: short ones as
// diffs, long ones and rendered objects by name unless full is asked for.
func WritePlan(streams Streams, header []string, steps []runner.PlannedStep, full bool) {
	s := newScreen(streams, streams.Out)
	s.header(header)
	s.line("")
	writePlanTable(s, steps)
	writeCost(s, runner.CostOf(steps))
	folded := false
	for number, step := range steps {
		folded = writeChanges(s, number+1, step, full) || folded
	}
	if folded {
		s.line("")
		s.line("with --diff: the lines of every object")
	}
}

// WriteSteps prints on stderr what somebody is asked to approve: a block of lines per
// step, without its changes. What they come to is said with the question.
func WriteSteps(streams Streams, header []string, steps []runner.PlannedStep) {
	s := newScreen(streams, streams.Err)
	s.header(header)
	writePlanTable(s, steps)
}

// header prints lines that begin with a label in a column of its own. On a terminal a long
// one goes on beside its label.
func (s screen) header(lines []string) {
	for _, line := range lines {
		if s.terminal {
			s.wrapped(hanging(line))
		} else {
			s.line("%s", line)
		}
	}
}

// hanging parts a line behind its columns, such as a label, or a mark and an ID: there it
// goes on where it is too long. Columns are parted by two blanks or more.
func hanging(line string) (columns, text string) {
	const most = 20 // of the columns
	text = strings.TrimLeft(line, " ")
	for {
		_, rest, found := strings.Cut(text, "  ")
		rest = strings.TrimLeft(rest, " ")
		if !found || rest == "" || len(line)-len(rest) > most {
			return line[:len(line)-len(text)], text
		}
		text = rest
	}
}

// WriteForeseen prints what the checks of a plan found, and that it would stop the run;
// nil: nothing would.
func WriteForeseen(streams Streams, lines []string, stops error) {
	s := newScreen(streams, streams.Out)
	if stops != nil && len(lines) == 0 {
		for _, one := range flatten(stops) {
			for _, line := range faultLines(one) {
				lines = append(lines, line.label+line.text)
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	s.line("")
	for _, line := range lines {
		s.prose(line[:len(line)-len(strings.TrimLeft(line, " "))], strings.TrimLeft(line, " "))
	}
	if stops != nil {
		s.line("a run would stop here, before its first write   exit %d", ExitCode(stops))
	}
}

// writePlanTable prints one block of lines per step.
func writePlanTable(s screen, steps []runner.PlannedStep) {
	for _, step := range steps {
		s.steps = max(s.steps, len(step.ID))
	}
	for number, step := range steps {
		prefix := fmt.Sprintf("%2d  %s  ", number+1, s.step(step.ID))
		for i, text := range planLines(step) {
			tail := ""
			if i == 0 {
				tail = planTail(step)
			} else {
				prefix = strings.Repeat(" ", utf8.RuneCountInString(prefix))
			}
			for _, line := range tableRow(prefix, s.plain(text), tail, s.width) {
				s.line("%s", line)
			}
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

// planTail has one width in every row, so that the texts wrap at one column.
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

// tableRow is one row: what begins it, a text that goes on below itself, and a
// tail at the right end of the first line.
func tableRow(prefix, text, tail string, width int) []string {
	const gap = 2
	indent := utf8.RuneCountInString(prefix)
	room := max(width-indent, 20)
	if tail != "" {
		room -= gap + utf8.RuneCountInString(tail)
	}
	parts := []string{text} // with its blanks, where it fits
	if utf8.RuneCountInString(text) > room {
		parts = wrap(text, max(room, 20))
	}
	var lines []string
	for i, part := range parts {
		if i > 0 {
			lines = append(lines, strings.Repeat(" ", indent)+part)
			continue
		}
		line := prefix + part
		if tail != "" {
			line += strings.Repeat(" ", max(width-utf8.RuneCountInString(line)-utf8.RuneCountInString(tail), gap)) + tail
		}
		lines = append(lines, line)
	}
	return lines
}

// foldedOver is how many lines of a diff are shown without --diff.
const foldedOver = 20

// writeChanges prints the changes of a step, and says whether it left lines out.
func writeChanges(s screen, number int, step runner.PlannedStep, full bool) bool {
	if step.State.Kind == runner.Done || step.State.Kind == runner.Skipped {
		return false
	}
	folded, last := false, ""
	for _, change := range step.Changes {
		if change.Diff == "" { // its row in the table says it
			continue
		}
		lines := diffLines(change)
		if !full && (change.Form == runner.ObjectDiff || len(lines) > foldedOver) {
			if !folded {
				s.line("")
				s.line("step %d, %s", number, step.ID)
			}
			folded, last = true, ""
			s.diffLine("  ", foldedChange(change, lines))
			continue
		}
		if change.Object != last {
			s.line("")
			s.line("%s, step %d", change.Object, number)
			last = change.Object
		}
		if change.Location != "" {
			s.line("  %s", change.Location)
		}
		for _, line := range lines {
			s.diffLine("  ", line)
		}
	}
	return folded
}

// diffLines leaves out the two lines that name the files of a unified diff.
func diffLines(change runner.Change) []string {
	lines := strings.Split(strings.TrimRight(change.Diff, " \n"), "\n")
	if change.Form != runner.FieldDiff && len(lines) > 2 {
		return lines[2:]
	}
	return lines
}

// foldedChange is one line for a change: the object comes, goes or changes.
func foldedChange(change runner.Change, lines []string) string {
	added, removed, kept, whole := 0, 0, 0, change.Form != runner.FieldDiff
	for _, line := range lines {
		if !whole {
			line = strings.TrimPrefix(line, "  ") // pkg/rke2/config's diffs are indented by two
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
