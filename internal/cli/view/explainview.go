package view

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Explanation is what `explain` says of a step or a check, offline.
type Explanation struct {
	TypeMeta
	Step  *runner.Info `json:"step,omitempty"`
	Check *verify.Meta `json:"check,omitempty"`
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
