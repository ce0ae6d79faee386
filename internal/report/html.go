package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// pageText is the page, in two parts: what comes before the time line, and what follows.
//
//go:embed page.html
var pageText string

const (
	// mostRowsOfPage bounds each table of a page, and manyRows is from when on a table of
	// the surroundings is folded.
	mostRowsOfPage = 500
	manyRows       = 30
)

// page is what the page is filled with.
type page struct {
	Name, Sentence string
	Mark, Class    string // of the verdict
	Facts          []fact
	Runs           []runSection
	Lanes          []section
	World          []section
	NotSeen        []string
}

// section is a table under a heading, and what is said beside it.
type section struct {
	Title  string
	Head   []string
	Rows   [][]value
	Lines  []string
	None   string // said instead of an empty table
	More   int    // rows beyond those of the table
	Folded bool
}

// runSection is a section of a run's steps.
type runSection struct {
	Section section
	Facts   []fact
}

// HTML is the report as one file: no script, no network, no font of its own. torn are
// lines of the record that could not be read.
func HTML(r judge.Result, torn []record.Torn) ([]byte, error) {
	parts, err := template.New("page").Funcs(template.FuncMap{"plain": plaintext.Tidy}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	content := newPage(r, torn)
	var out bytes.Buffer
	if err := parts.ExecuteTemplate(&out, "head", content); err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	out.Write(SVG(r))
	if err := parts.ExecuteTemplate(&out, "rest", content); err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	return out.Bytes(), nil
}

// As is the report in a format: markdown, html or svg. It is nil for any other.
func As(format string, r judge.Result, torn []record.Torn) ([]byte, error) {
	switch format {
	case "markdown":
		return []byte(Markdown(r, torn)), nil
	case "html":
		return HTML(r, torn)
	case "svg":
		return SVG(r), nil
	}
	return nil, nil
}

func newPage(r judge.Result, torn []record.Torn) page {
	p := page{Name: r.Header.Name, Sentence: Sentence(r), Facts: recordFacts(r), NotSeen: append(NotSeen(r), TornLines(torn)...)}
	p.Mark, p.Class = verdictMark(r.Verdict())
	for _, run := range r.Runs {
		one := runSection{Section: newSection("Run "+run.ID, stepsTable(run), "No step was begun."), Facts: runFacts(run)}
		p.Runs = append(p.Runs, one)
	}
	for _, l := range r.Lanes {
		one := newSection(l.Controller, laneTable(l), "Nobody was seen to run it.")
		one.Lines = laneLines(l)
		if more := len(one.Lines) - mostRowsOfPage; more > 0 {
			one.Lines = append(one.Lines[:mostRowsOfPage], fmt.Sprintf("and %d more", more))
		}
		p.Lanes = append(p.Lanes, one)
	}
	for _, s := range surroundings(r.World) {
		p.World = append(p.World, newSection(s.title, s.table, s.none))
	}
	return p
}

func newSection(title string, t table, none string) section {
	s := section{Title: title, Head: t.Head, Rows: t.Rows, None: none, Folded: len(t.Rows) > manyRows}
	if s.More = len(t.Rows) - mostRowsOfPage; s.More > 0 {
		s.Rows = s.Rows[:mostRowsOfPage]
	}
	return s
}

// verdictMark is a verdict's mark and colour.
func verdictMark(v judge.Verdict) (mark, class string) {
	switch v {
	case judge.Double:
		return "✗", "wrong"
	case judge.NotSeen:
		return "?", "open"
	case judge.CannotSay:
		return "!", "open"
	case judge.Single:
	}
	return "✓", "good"
}

// recordFacts say who recorded what.
func recordFacts(r judge.Result) []fact {
	h := r.Header
	all := []fact{
		{"cluster", h.Name}, {"why", h.Context},
		{"recorded", fmt.Sprintf("%s to %s (%s)", r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339), r.Until.Sub(r.From).Round(time.Second))},
		{"by", h.By}, {"awsmigrate", h.Version}, {"API server", h.Server}, {"Kubernetes", h.Kubernetes}, {"UID of kube-system", h.UID},
	}
	var known []fact
	for _, f := range all {
		if f.Text != "" {
			known = append(known, f)
		}
	}
	return known
}
