package view

import (
	"fmt"
	"strings"

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
		field("page", "docs/"+e.Step.Doc)
		if e.Step.Irreversible != "" {
			field("back", "impossible: "+e.Step.Irreversible)
		}
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
		field("page", "docs/going-back.md#the-order")
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
