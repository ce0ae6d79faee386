package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Markdown is the report for a ticket.
func Markdown(r Report) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s\n", cell(r.Title()))
	for _, v := range verdicts(r) {
		line("**%s**\n", cell(v.Sentence))
	}
	markdownHead(line, r)
	for _, run := range r.runParts() {
		markdownRun(line, run)
	}
	if r.Audit != nil {
		markdownAudit(line, "## ", newAuditPart("Checks", r.Audit.Audit))
	}
	for _, l := range r.lanes() {
		processes(line, l)
	}
	for _, s := range r.surroundings() {
		line("## %s\n", s.title)
		markdownTable(line, s.table)
	}
	line("## What was not seen\n")
	blind := r.NotSeen()
	for _, what := range blind {
		line("- %s", cell(what))
	}
	if len(blind) == 0 {
		line("Nothing that was to be watched was missed.")
	}
	return b.String()
}

// markdownHead says where the report comes from.
func markdownHead(line func(string, ...any), r Report) {
	if r.Source == Record {
		line("Recorded from %s to %s by %s with awsmigrate %s; %s, Kubernetes %s. %s\n", r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339),
			cell(r.Header.By), cell(r.Header.Version), cell(r.Header.Server), cell(r.Header.Kubernetes), cell(r.Header.Context))
		return
	}
	for _, f := range r.facts() {
		line("- %s: %s", f.Name, cell(f.Text))
	}
	for _, said := range append(r.Lines[:len(r.Lines):len(r.Lines)], comparisons(r.Compared)...) {
		line("- %s", cell(said))
	}
	line("")
}

// markdownRun is a run's section.
func markdownRun(line func(string, ...any), run runPart) {
	line("## %s\n", cell(run.Title))
	for _, fact := range run.Facts {
		line("- %s: %s", fact.Name, cell(fact.Text))
	}
	for _, said := range run.Lines {
		line("- %s", cell(said))
	}
	line("")
	for _, s := range []section{run.Former, run.Steps} {
		if len(s.Rows) > 0 {
			markdownTable(line, table{s.Head, s.Rows})
		}
	}
	for n, e := range run.Edits {
		if n == 0 {
			line("### Edits\n")
		}
		markdownEdit(line, e)
	}
	if len(run.Writes.Rows) > 0 {
		line("### Writes that were announced\n")
		markdownTable(line, table{run.Writes.Head, run.Writes.Rows})
	}
	for _, a := range run.Audits {
		markdownAudit(line, "### ", a)
	}
}

// markdownEdit is a change with its diff in a fence that no line of it ends.
func markdownEdit(line func(string, ...any), e editPart) {
	line("%s, step %s (%s):\n", cell(e.Object), cell(e.Step), e.Note)
	if len(e.Lines) == 0 {
		line("No diff of it is shown.\n")
		return
	}
	fence := "```"
	for _, l := range e.Lines {
		for strings.Contains(l.Text, fence) {
			fence += "`"
		}
	}
	line("%sdiff", fence)
	for _, l := range e.Lines {
		line("%s", plaintext.Line(l.Text))
	}
	line("%s\n", fence)
	if e.More > 0 {
		line("and %d more lines\n", e.More)
	}
}

// markdownAudit is what checks came to.
func markdownAudit(line func(string, ...any), level string, a auditPart) {
	line("%s%s\n", level, cell(a.Title))
	line("%s\n", cell(a.Counts))
	for _, s := range []section{a.Findings, a.Skipped} {
		if len(s.Rows) == 0 {
			line("%s\n", cell(s.None))
			continue
		}
		markdownTable(line, table{s.Head, s.Rows})
		if s.More > 0 {
			line("and %d more\n", s.More)
		}
	}
}

// processes is a controller's section.
func processes(line func(string, ...any), l judge.Lane) {
	line("## %s\n", cell(l.Controller))
	if len(l.Intervals) == 0 {
		line("Nobody was seen to run it.\n")
		return
	}
	markdownTable(line, laneTable(l))
	for _, said := range laneLines(l) {
		line("- %s", cell(said))
	}
	line("")
}

func markdownTable(line func(string, ...any), t table) {
	line("%s\n|%s", strings.ReplaceAll("| "+strings.Join(t.Head, " | ")+" |", "|  |", "| |"), strings.Repeat("---|", len(t.Head)))
	for _, row := range t.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, markdownCell(v))
		}
		line("| %s |", strings.Join(cells, " | "))
	}
	line("")
}

func markdownCell(v value) string {
	switch {
	case v.Changed:
		return cell(v.Before) + " → **" + cell(v.Text) + "**"
	case v.Code != "":
		return strings.TrimSpace(cell(v.Text) + " `" + cell(v.Code) + "`")
	}
	return cell(v.Text)
}

// cell is other people's text in a table: one line that neither ends a cell nor marks
// anything up.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "`", "'", "[", "\\[", "*", "\\*").Replace(text)
}
