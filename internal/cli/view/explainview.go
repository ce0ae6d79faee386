package view

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/build"
	"github.com/awsmigrate/awsmigrate/internal/page"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Explanation is what `explain` says of a step, a check or a position, offline.
type Explanation struct {
	TypeMeta
	Step     *runner.Info       `json:"step,omitempty"`
	Check    *verify.Meta       `json:"check,omitempty"`
	Position *ExplainedPosition `json:"position,omitempty"`
	Reason   *ExplainedReason   `json:"reason,omitempty"`
	Page     string             `json:"page,omitempty"` // of a step: its page, in Markdown
}

// ExplainedReason is what the pages say of the reason of an error.
type ExplainedReason struct {
	ID   string    `json:"id"`
	Says []Passage `json:"says"`
}

// Passage is a row or a sentence of a page.
type Passage struct {
	Page    string `json:"page"` // from the root of the sources
	Section string `json:"section,omitempty"`
	Facts   []Fact `json:"facts"`
}

// Fact is a cell of a row under its head, or a sentence, in Markdown.
type Fact struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// ExplainedPosition is how far a cluster is that is there, and the steps around it.
type ExplainedPosition struct {
	ID      string         `json:"id"`
	Summary string         `json:"summary"`
	Runs    string         `json:"runs"`           // who runs the cloud controllers
	Stays   string         `json:"stays"`          // for how long it may
	Next    journal.StepID `json:"next,omitempty"` // the step that leads on
	Back    journal.StepID `json:"back,omitempty"` // the step that leads back
}

// NewExplainedPosition explains a position between two steps; "": there is none.
func NewExplainedPosition(p position.Position, next, back journal.StepID) *ExplainedPosition {
	return &ExplainedPosition{ID: p.String(), Summary: p.Summary(), Runs: p.Runs(), Stays: p.Stays(), Next: next, Back: back}
}

// ladder are all positions, with this one in brackets.
func (p ExplainedPosition) ladder() string {
	var rungs []string
	for _, one := range position.All() {
		rung := one.String()
		if rung == p.ID {
			rung = "[" + rung + "]"
		}
		rungs = append(rungs, rung)
	}
	return strings.Join(rungs, " ")
}

// page prints a page of the sources.
func (s screen) page(path, markdown string) {
	if markdown == "" {
		return
	}
	s.line("")
	for _, line := range page.Text(markdown, s.width, func(target string) string { return sourceOf(path, target) }) {
		s.line("%s", line)
	}
}

// reason prints what the pages say of one.
func (s screen) reason(r ExplainedReason) {
	s.line("%s", r.ID)
	for _, passage := range r.Says {
		text := "**" + passage.Page + "**"
		if passage.Section != "" && passage.Section != "Reasons" {
			text += ", " + passage.Section
		}
		for _, fact := range passage.Facts {
			if fact.Name != "" {
				fact.Text = fact.Name + ": " + fact.Text
			}
			text += "\n- " + fact.Text
		}
		s.page(passage.Page, text)
	}
}

// sourceOf is where a link of a page leads, by the address of this build's sources.
func sourceOf(from, target string) string {
	switch u, err := url.Parse(target); {
	case err != nil || u.IsAbs():
		return target
	case u.Path == "":
		return build.This().Source(from + target)
	}
	return build.This().Source(path.Join(path.Dir(from), target))
}

// WriteExplanation prints an explanation for people.
func WriteExplanation(streams Streams, e Explanation) {
	s := newScreen(streams, streams.Out)
	field := func(name, text string) {
		if text == "" {
			return
		}
		for _, line := range tableRow(fmt.Sprintf("%-8s", name), s.plain(text), "", s.width) {
			s.line("%s", line)
		}
	}
	if e.Step != nil {
		s.line("%s: %s", e.Step.ID, e.Step.Title)
		s.line("")
		field("page", build.This().Source("docs/"+e.Step.Doc))
		if e.Step.Irreversible != "" {
			field("back", "impossible: "+e.Step.Irreversible)
		}
		s.page("docs/"+e.Step.Doc, e.Page)
		return
	}
	if e.Reason != nil {
		s.reason(*e.Reason)
		return
	}
	if p := e.Position; p != nil {
		s.line("%s: %s", p.ID, p.Summary)
		s.line("")
		field("of", p.ladder())
		field("runs", p.Runs)
		field("stays", p.Stays)
		field("next", string(p.Next))
		field("back", string(p.Back))
		field("page", build.This().Source("docs/going-back.md#the-order"))
		return
	}
	c := e.Check
	s.line("%s  %s", c.ID, c.Title)
	s.line("")
	field("why", c.Why)
	field("fix", c.Fix)
	field("source", c.Source)
	if !c.Skippable() {
		field("skip", "this check cannot be skipped")
	}
}
