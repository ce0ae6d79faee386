package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Templates of the page and of the ticket.
var (
	//go:embed page.html
	pageText string
	//go:embed page.md
	markdownText string
)

const (
	// maxRows limits each table of a page; a table with manyRows is folded.
	maxRows  = 500
	manyRows = 30
)

// page holds the content of both templates.
type page struct {
	Name     string
	Verdicts []verdict
	Numbers  []string
	Footnote string
	Picture  template.HTML // a time line, or ""
	Facts    []fact
	Lines    []string
	Runs     []runPart
	Audit    *auditPart
	Lanes    []section
	World    []section
	NotSeen  []string
}

// verdict is a sentence with its mark and colour.
type verdict struct{ Mark, Class, Sentence string }

// section is a table with its heading and text.
type section struct {
	Title  string
	Head   []string
	Rows   [][]value
	Lines  []string
	None   string // text in place of an empty table
	More   int    // number of omitted rows
	Folded bool
}

// HTML returns the report as one file, without script, network or font.
func HTML(r Report) ([]byte, error) {
	parts, err := template.New("page").Funcs(template.FuncMap{"plain": tidy, "line": plaintext.Line}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	content := newPage(r)
	if r.Source == Record {
		picture, err := SVG(r.Result)
		if err != nil {
			return nil, err
		}
		content.Picture = template.HTML(picture) //nolint:gosec // made by html/template
	}
	var out bytes.Buffer
	if err := parts.Execute(&out, content); err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	return out.Bytes(), nil
}

// Markdown returns the report for a ticket.
func Markdown(r Report) ([]byte, error) {
	parts, err := texttemplate.New("page").Funcs(texttemplate.FuncMap{"cell": cell, "fence": fence, "line": plaintext.Line, "columns": func(t []string) string { return strings.Repeat("---|", len(t)) }}).Parse(markdownText)
	if err != nil {
		return nil, fmt.Errorf("the Markdown of a report: %w", err)
	}
	var out bytes.Buffer
	if err := parts.Execute(&out, newPage(r)); err != nil {
		return nil, fmt.Errorf("the Markdown of a report: %w", err)
	}
	return out.Bytes(), nil
}

// As returns the report in a format: markdown, html or svg. It returns nil for any other.
func As(format string, r Report) ([]byte, error) {
	switch format {
	case "markdown":
		return Markdown(r)
	case "html":
		return HTML(r)
	case "svg":
		return SVG(r.Result)
	}
	return nil, nil
}

func newPage(r Report) page {
	p := page{Name: r.Title(), Verdicts: verdicts(r), Numbers: r.numbers(), Facts: r.facts(), Runs: r.runParts(), World: r.surroundings(), NotSeen: r.NotSeen()}
	p.Lines = append(append(p.Lines, r.Lines...), append(comparisons(r.Compared), r.earlierLines()...)...)
	if r.Audit != nil {
		part := newAuditPart("Checks", r.Audit.Audit)
		p.Audit = &part
	}
	if r.Source == Record {
		p.Footnote = Footnote(r.worst())
		names := processNames(r.Result)
		for _, l := range r.Lanes {
			one := newSection(l.Controller, laneTable(l, names), "No process was seen to run it.")
			one.Lines = LaneLines(r.Result, l)
			p.Lanes = append(p.Lanes, one)
		}
	}
	return p
}

// numbers returns the most important figures: unchanged objects, and the gaps.
func (r Report) numbers() []string {
	var all []string
	if len(r.Runs) > 0 {
		last := r.Runs[len(r.Runs)-1]
		for _, s := range last.Steps {
			if len(s.Compared) == 0 {
				continue
			}
			all = nil // the last comparison counts
			for _, c := range s.Compared {
				if c.Unread == "" {
					all = append(all, fmt.Sprintf("%s unchanged: %d of %d", c.Kind, c.Same, c.Of))
				}
			}
		}
		if !last.Until.IsZero() && last.Until.After(last.From) {
			all = append(all, "took "+last.Until.Sub(last.From).Round(time.Second).String())
		}
	}
	if r.Source == Record && len(r.Lanes) > 0 {
		var pauses []string
		for _, g := range r.Lanes[0].Gaps {
			if g.After != nil && len(pauses) < 6 {
				pauses = append(pauses, Length(g))
			}
		}
		if len(pauses) > 0 {
			all = append(all, "no "+r.Lanes[0].Controller+" controller for "+strings.Join(pauses, ", "))
		}
	}
	return all
}

// verdicts returns the outcome of the last runs, and the findings about the controllers. A record
// may hold a run and its undo; of a journal's runs only the last counts.
func verdicts(r Report) []verdict {
	most := 1
	if r.Source == Record && r.Recorded == nil {
		most = 3
	}
	var all []verdict
	for _, run := range r.Runs[max(0, len(r.Runs)-most):] {
		mark, class := RunMark(run)
		all = append(all, verdict{mark, class, RunSentence(run)})
	}
	mark, class := VerdictMark(r.Verdict())
	return append(all, verdict{mark, class, r.Sentence()})
}

func newSection(title string, t table, none string) section {
	s := section{Title: title, Head: t.Head, Rows: t.Rows, None: none, Folded: len(t.Rows) > manyRows}
	if s.More = len(t.Rows) - maxRows; s.More > 0 {
		s.Rows = s.Rows[:maxRows]
	}
	return s
}

// VerdictMark returns a verdict's mark and colour.
func VerdictMark(v judge.Verdict) (mark, class string) {
	switch v {
	case judge.Double:
		return "✗", "wrong"
	case judge.NotSeen:
		return "?", "open"
	case judge.CannotSay:
		return "!", "open"
	case judge.ByRule, judge.Single:
	}
	return "✓", "good"
}

// cell returns foreign text for Markdown: one line without effect on the table or the markup, and
// without control characters of a terminal or of the writing direction.
func cell(v any) string {
	escape := func(text string) string {
		return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "`", "'", "[", "\\[", "*", "\\*").Replace(tidy(text))
	}
	switch v := v.(type) {
	case value:
		switch {
		case v.Changed:
			return escape(v.Before) + " → **" + escape(v.Text) + "**"
		case v.Code != "":
			return strings.TrimSpace(escape(v.Text) + " `" + escape(v.Code) + "`")
		}
		return escape(v.Text)
	case string:
		return escape(v)
	}
	return ""
}

// fence returns a fence that no line of a diff closes.
func fence(lines []diffLine) string {
	fence := "```"
	for _, l := range lines {
		for strings.Contains(l.Text, fence) {
			fence += "`"
		}
	}
	return fence
}
