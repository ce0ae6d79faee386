package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Markdown is the report for a ticket. torn are lines of the record that could not be read.
func Markdown(r judge.Result, torn []record.Torn) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Who ran the cloud controllers of %s\n", cell(r.Header.Name))
	line("**%s**\n", cell(Sentence(r)))
	line("Recorded from %s to %s by %s with awsmigrate %s; %s, Kubernetes %s. %s\n", r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339),
		cell(r.Header.By), cell(r.Header.Version), cell(r.Header.Server), cell(r.Header.Kubernetes), cell(r.Header.Context))
	for _, run := range r.Runs {
		line("## Run %s\n", cell(run.ID))
		for _, fact := range runFacts(run) {
			line("- %s: %s", fact.Name, cell(fact.Text))
		}
		line("")
		markdownTable(line, stepsTable(run))
	}
	for _, l := range r.Lanes {
		processes(line, l)
	}
	for _, s := range surroundings(r.World) {
		line("## %s\n", s.title)
		markdownTable(line, s.table)
	}
	line("## What was not seen\n")
	blind := append(NotSeen(r), TornLines(torn)...)
	for _, what := range blind {
		line("- %s", cell(what))
	}
	if len(blind) == 0 {
		line("Nothing that was to be watched was missed.")
	}
	return b.String()
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
		return cell(v.Text) + " `" + cell(v.Code) + "`"
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
