package view

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/page"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Explanation is the document of `explain` for a step, a check, a position or a reason.
type Explanation struct {
	TypeMeta
	Step     *runner.Info       `json:"step,omitempty"`
	Check    *verify.Meta       `json:"check,omitempty"`
	Variants []CheckVariant     `json:"variants,omitempty"` // of a check whose texts depend on the kind of cluster
	Position *ExplainedPosition `json:"position,omitempty"`
	Reason   *ExplainedReason   `json:"reason,omitempty"`
	Page     string             `json:"page,omitempty"` // the page of a step, in Markdown
}

// CheckVariant holds the texts of a check for some kinds of clusters.
type CheckVariant struct {
	Kinds  []string `json:"kinds"` // RKE2, RKE or API alone
	Why    string   `json:"why"`
	Fix    string   `json:"fix"`
	Source string   `json:"source"`
}

// ExplainedReason holds the passages of the pages about the reason of an error.
type ExplainedReason struct {
	ID   string    `json:"id"`
	Says []Passage `json:"says"`
}

// Passage is a row or a sentence of a page.
type Passage struct {
	Page    string `json:"page"` // path from the root of the sources
	Section string `json:"section,omitempty"`
	Facts   []Fact `json:"facts"`
}

// Fact is a cell of a row with its heading, or a sentence, in Markdown.
type Fact struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// ExplainedPosition describes a position and the steps around it.
type ExplainedPosition struct {
	ID      string         `json:"id"`
	Summary string         `json:"summary"`
	Runs    string         `json:"runs"`           // which process runs the cloud controllers
	Stays   string         `json:"stays"`          // how long a cluster may stay there
	Next    journal.StepID `json:"next,omitempty"` // the step forward
	Back    journal.StepID `json:"back,omitempty"` // the step back
}

// NewExplainedPosition explains a position between two steps, each of which may be "".
func NewExplainedPosition(p position.Position, next, back journal.StepID) *ExplainedPosition {
	return &ExplainedPosition{ID: p.String(), Summary: p.Summary(), Runs: p.Runs(), Stays: p.Stays(), Next: next, Back: back}
}

// ladder returns all positions, with this one in brackets.
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

// writePage prints a page of the documentation.
func writePage(s console.Screen, path, markdown string) {
	if markdown == "" {
		return
	}
	s.Line("")
	for _, line := range page.Text(markdown, s.Paragraph(), func(target string) string { return resolveLink(path, target) }) {
		s.Line("%s", line)
	}
}

// writeReason prints what the pages contain about a reason.
func writeReason(s console.Screen, r ExplainedReason) {
	s.Line("%s", r.ID)
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
		writePage(s, passage.Page, text)
	}
}

// resolveLink returns the target of a page's link, as an address in this build's sources.
func resolveLink(from, target string) string {
	switch u, err := url.Parse(target); {
	case err != nil || u.IsAbs():
		return target
	case u.Path == "":
		return build.This().Source(from + target)
	}
	return build.This().Source(path.Join(path.Dir(from), target))
}

// WriteExplanation prints an explanation for people.
func WriteExplanation(streams console.Streams, e Explanation) {
	s := console.NewScreen(streams, streams.Out)
	field := func(name, text string) {
		if text == "" {
			return
		}
		s.Prose(fmt.Sprintf("%-8s", name), text)
	}
	if e.Step != nil {
		s.Prose("", fmt.Sprintf("%s: %s", e.Step.ID, e.Step.Title))
		s.Line("")
		field("page", build.This().Source("docs/"+e.Step.Doc))
		if e.Step.Irreversible != "" {
			field("back", "impossible: "+e.Step.Irreversible)
		}
		writePage(s, "docs/"+e.Step.Doc, e.Page)
		return
	}
	if e.Reason != nil {
		writeReason(s, *e.Reason)
		return
	}
	if p := e.Position; p != nil {
		s.Prose(p.ID+": ", p.Summary)
		s.Line("")
		field("of", p.ladder())
		field("runs", p.Runs)
		field("stays", p.Stays)
		field("next", string(p.Next))
		field("back", string(p.Back))
		field("page", build.This().Source("docs/going-back.md#the-order"))
		return
	}
	writeCheck(s, field, *e.Check, e.Variants)
}

// writeCheck prints a check, with the texts of each variant if it has several.
func writeCheck(s console.Screen, field func(name, text string), c verify.Meta, variants []CheckVariant) {
	s.Prose(c.ID+"  ", c.Title)
	s.Line("")
	if len(variants) == 0 {
		variants = []CheckVariant{{Why: c.Why, Fix: c.Fix, Source: c.Source}}
	}
	for i, v := range variants {
		if i > 0 {
			s.Line("")
		}
		if len(v.Kinds) > 0 {
			s.Line("%s", strings.Join(v.Kinds, ", "))
		}
		field("why", v.Why)
		field("fix", v.Fix)
		field("source", v.Source)
	}
	if c.Skippable() {
		return
	}
	if len(variants) > 1 {
		s.Line("")
	}
	field("skip", "this check cannot be skipped")
}
