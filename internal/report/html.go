package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
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
	Name     string
	Verdicts []verdict
	Facts    []fact
	Lines    []string
	Runs     []runPart
	Audit    *auditPart
	Lanes    []section
	World    []section
	NotSeen  []string
	Picture  bool // there is one
}

// verdict is a sentence with its mark and colour.
type verdict struct{ Mark, Class, Sentence string }

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

// HTML is the report as one file: no script, no network, no font of its own.
func HTML(r Report) ([]byte, error) {
	parts, err := template.New("page").Funcs(template.FuncMap{"plain": plaintext.Tidy, "line": plaintext.Line}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	content := newPage(r)
	var out bytes.Buffer
	if err := parts.ExecuteTemplate(&out, "head", content); err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	if r.Source == Record {
		fmt.Fprintf(&out, "<figure class=\"scroll\">\n%s\n</figure>\n", SVG(r.Result))
	}
	if err := parts.ExecuteTemplate(&out, "rest", content); err != nil {
		return nil, fmt.Errorf("the page of a report: %w", err)
	}
	return out.Bytes(), nil
}

// As is the report in a format: markdown, html or svg. It is nil for any other.
func As(format string, r Report) ([]byte, error) {
	switch format {
	case "markdown":
		return []byte(Markdown(r)), nil
	case "html":
		return HTML(r)
	case "svg":
		return SVG(r.Result), nil
	}
	return nil, nil
}

func newPage(r Report) page {
	p := page{Name: r.Title(), Verdicts: verdicts(r), Facts: r.facts(), Lines: append(r.Lines[:len(r.Lines):len(r.Lines)], comparisons(r.Compared)...), Runs: r.runParts(), NotSeen: r.NotSeen(), Picture: r.Source == Record}
	if r.Audit != nil {
		part := newAuditPart("Checks", r.Audit.Audit)
		p.Audit = &part
	}
	for _, l := range r.lanes() {
		one := newSection(l.Controller, laneTable(l), "Nobody was seen to run it.")
		one.Lines = laneLines(l)
		if more := len(one.Lines) - mostRowsOfPage; more > 0 {
			one.Lines = append(one.Lines[:mostRowsOfPage], fmt.Sprintf("and %d more", more))
		}
		p.Lanes = append(p.Lanes, one)
	}
	for _, s := range r.surroundings() {
		p.World = append(p.World, newSection(s.title, s.table, s.none))
	}
	return p
}

// verdicts are what became of the last runs, and what is known of the controllers. A record
// may have a run and the undo that took it back; a journal has many, of which the last counts.
func verdicts(r Report) []verdict {
	most := 1
	if r.Source == Record {
		most = 3
	}
	var all []verdict
	for _, run := range r.Runs[max(0, len(r.Runs)-most):] {
		mark, class := runMark(run)
		all = append(all, verdict{mark, class, RunSentence(run)})
	}
	mark, class := verdictMark(r.Verdict())
	return append(all, verdict{mark, class, r.Sentence()})
}

// lanes are those of the controllers, which a record alone has.
func (r Report) lanes() []judge.Lane {
	if r.Source != Record {
		return nil
	}
	return r.Lanes
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
	return known(all)
}
