package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// runPart is the part of a report about one run, in any format.
type runPart struct {
	Title  string
	Facts  []fact
	Steps  section
	Edits  []editPart
	Writes section
	Audits []auditPart
	Lines  []string // further text, and what was not recorded
}

// maxRuns limits the runs of a page to the last ones. A journal has 50.
const maxRuns = 60

// runParts returns the parts of all runs, within the limits of a page.
func (r Report) runParts() []runPart {
	room := maxDiffLines
	var all []runPart
	for _, run := range r.Runs[max(0, len(r.Runs)-maxRuns):] {
		p := runPart{Title: runTitle(run), Facts: runFacts(run), Steps: newSection("", stepsTable(run), "No step was begun.")}
		if !r.recorded(run) {
			p.Steps = newSection("", comeToTable(run), "The journal has no step of this run.")
		}
		p.Edits, room = editParts(run.Edits, room)
		p.Writes = newSection("", writesTable(run.Writes), "")
		p.Writes.Folded = len(run.Writes) > 0
		for _, a := range run.Audits {
			p.Audits = append(p.Audits, newAuditPart("Checks of step "+a.Step+", "+clock(a.At), a.Audit))
		}
		p.Lines = comparedLines(run)
		if more := len(run.Edits) - maxEdits; more > 0 {
			p.Lines = append(p.Lines, fmt.Sprintf("%d more edits are not shown.", more))
		}
		if r.recorded(run) {
			p.Lines = append(p.Lines, auditsNotMade(run)...)
		}
		all = append(all, p)
	}
	return all
}

// recorded reports whether a run has a record, besides the journal.
func (r Report) recorded(run judge.Run) bool {
	return r.Source == Record && r.Recorded == nil || r.Recorded[run.ID]
}

// runTitle names a run by its goal.
func runTitle(r judge.Run) string {
	by := ""
	if r.Attempt != "" {
		by = " by the controller"
	}
	switch {
	case r.Watched:
		return "Watch" + by + ", run " + r.ID
	case r.Goal == record.Migrate:
		return "Migration" + by + ", run " + r.ID
	case r.Goal == record.Undo:
		return "Undo" + by + ", run " + r.ID
	}
	return "Run " + r.ID + by
}

// RunSentence returns the outcome of a run, and the run that it took over from.
func RunSentence(r judge.Run) string {
	sentence := cameTo(r)
	if before, died := formerRun(r); died {
		sentence += " It took over from " + before + "."
	}
	return sentence
}

func cameTo(r judge.Run) string {
	what := subject(r)
	switch failed := failedStep(r); {
	case r.Until.IsZero() && r.Error == Died:
		return what + " " + sentenceOf(r.Error)
	case r.Until.IsZero() && r.Error != "":
		return what + " stopped" + inStep(failed) + ": " + sentenceOf(r.Error)
	case r.Until.IsZero():
		return what + " has no end here: it continues, or it was killed."
	case r.Stopped:
		return what + " was stopped" + inStep(failed) + ": " + sentenceOf(r.Error)
	case r.Error != "":
		return what + " failed" + inStep(failed) + ": " + sentenceOf(r.Error)
	}
	if r.After != goals[r.Goal] && r.Goal != "" && !r.Watched { // a run that was stopped on the way, or has an unknown position
		what = "The run of " + strings.ToLower(what[:1]) + what[1:]
	}
	if r.Before+r.After == "" {
		return what + " finished."
	}
	return what + " finished, " + positions(r) + "."
}

// Died explains a run without an end in its journal.
const Died = "died: no end is recorded"

// goals holds the final positions of a migration and of an undo.
var goals = map[string]string{record.Migrate: position.P5.String(), record.Undo: position.P0.String()}

// subject returns a run as the subject of a sentence.
func subject(r judge.Run) string {
	what := cmp.Or(map[string]string{record.Migrate: "The migration", record.Undo: "The undo"}[r.Goal], "The run")
	if r.Watched {
		what = "The run that only watched"
	}
	if r.Attempt != "" {
		what += " by the controller"
	}
	return what
}

func sentenceOf(text string) string { return strings.TrimRight(text, ". ") + "." }

// failedStep returns the step in which a run ended before its goal, or "".
func failedStep(r judge.Run) string {
	for _, s := range slices.Backward(r.Steps) {
		if s.Outcome == record.Failed {
			return s.ID
		}
	}
	return ""
}

func inStep(step string) string {
	if step == "" {
		return ""
	}
	return " in step " + step
}

// RunMark returns the mark and colour of a run's outcome.
func RunMark(r judge.Run) (mark, class string) {
	switch {
	case r.Until.IsZero():
		return "?", "open"
	case r.Stopped:
		return "!", "open"
	case r.Error != "":
		return "✗", "wrong"
	}
	return "✓", "good"
}

// formerRun names the previous run and its outcome, or returns "". died reports whether the run
// took its work over.
func formerRun(r judge.Run) (before string, died bool) {
	f := r.Former
	if f == nil {
		return "", false
	}
	before = "run " + f.ID + " of " + cmp.Or(f.By, "an unknown user")
	switch f.Outcome {
	case "died":
		return before + ", which died" + inStep(f.Step) + ": no end is recorded", true
	case "interrupted", "stopped":
		before += ", which was " + f.Outcome + inStep(f.Step)
	}
	if f.Reason != "" {
		before += " (" + f.Reason + ")"
	}
	return before, false
}

// writesTable returns the writes that a run announced.
func writesTable(all []judge.Write) table {
	t := table{Head: []string{"announced", "step", "write", "object"}}
	for _, w := range all {
		t.Rows = append(t.Rows, []value{text(w.At.UTC().Format(time.TimeOnly)), text(w.Step), text(w.What), text(w.Object)})
	}
	return t
}

// comparedLines returns the comparisons of a run's steps with the cluster before the first run.
func comparedLines(r judge.Run) []string {
	for _, s := range slices.Backward(r.Steps) {
		if len(s.Compared) > 0 {
			return comparisons(s.Compared)
		}
	}
	return nil
}

func comparisons(all []record.Compared) []string {
	var lines []string
	for _, c := range all {
		switch {
		case c.Unread != "":
			lines = append(lines, c.Kind+" could not be compared: "+c.Unread)
		case c.Same == c.Of:
			lines = append(lines, fmt.Sprintf("%s unchanged: %d (%s)", c.Kind, c.Of, c.By))
		default:
			lines = append(lines, fmt.Sprintf("%s unchanged: %d of %d (%s); different or gone: %s", c.Kind, c.Same, c.Of, c.By, strings.Join(c.Others, ", ")))
		}
	}
	return lines
}

// auditsNotMade names the audits that a run did not reach.
func auditsNotMade(r judge.Run) []string {
	var lines []string
	for _, step := range auditSteps {
		wanted := r.Goal == record.Migrate || r.Goal == record.Undo && step == "verify"
		if wanted && !slices.ContainsFunc(r.Steps, func(s judge.Step) bool { return s.ID == step }) {
			lines = append(lines, "The checks of step "+step+" were not made: the run ended before it.")
		}
	}
	return lines
}

// auditSteps holds the steps that run all checks and write nothing.
var auditSteps = []string{"preflight", "verify"}

// RunLines returns user, time and command of a run, for a terminal.
func RunLines(r judge.Run) []string {
	var lines []string
	for _, f := range runFacts(r) {
		if f.Name != "awsmigrate" && f.Name != "outcome" {
			lines = append(lines, f.Name+": "+f.Text)
		}
	}
	switch n := len(r.Edits); {
	case n > 0:
		lines = append(lines, fmt.Sprintf("edits: %d, and what checks found: with -o html or -o markdown", n))
	case len(r.Audits) > 0:
		lines = append(lines, "what checks found: with -o html or -o markdown")
	case len(r.Writes) > 0:
		lines = append(lines, fmt.Sprintf("writes that were announced: %d, with -o html or -o markdown", len(r.Writes)))
	}
	return append(lines, comparedLines(r)...)
}

// TextLines describes the cluster of a journal or a bundle, for a terminal.
func (r Report) TextLines() []string {
	lines := append(r.Lines[:len(r.Lines):len(r.Lines)], comparisons(r.Compared)...)
	if r.Audit != nil {
		lines = append(lines, auditCounts(r.Audit.Audit))
		for _, f := range r.Audit.Findings {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s %s", f.Check, statusWord(f.Status), f.Object, f.Seen)))
		}
	}
	return lines
}
