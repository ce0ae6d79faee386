package view

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// StatusDocument is what `status -o json` prints.
type StatusDocument struct {
	TypeMeta
	Target      journal.Target     `json:"target"`
	Header      []string           `json:"header"`
	Observation runner.Observation `json:"observation"`
	Steps       []stepStatus       `json:"steps"`
	Paused      string             `json:"paused,omitempty"`
	// Unread is why the journal could not be read: what it alone settles, such as a
	// snapshot of ours, is told as if there were none.
	Unread  string `json:"unread,omitempty"`
	Pending bool   `json:"pending"`
	Next    string `json:"next"` // the command that goes on, or looks again
}

type stepStatus struct {
	ID     journal.StepID   `json:"id"`
	Title  string           `json:"title"`
	State  runner.StateKind `json:"state"`
	Reason string           `json:"reason,omitempty"`
}

// NewStatus puts one observation of these steps into words.
func NewStatus(target journal.Target, steps []runner.Info, seen runner.Observation, commands Commands) StatusDocument {
	doc := StatusDocument{TypeMeta: KindOf("Status"), Target: target, Observation: seen, Pending: seen.Pending(), Next: commands.Next(seen)}
	for _, info := range steps {
		state := seen.States[info.ID]
		doc.Steps = append(doc.Steps, stepStatus{ID: info.ID, Title: info.Title, State: state.Kind, Reason: state.Reason})
	}
	return doc
}

// stateMarks show a step's state without colour.
var stateMarks = map[runner.StateKind]string{
	runner.Done: "✓", runner.Todo: "·", runner.InProgress: "◐", runner.Skipped: "–", runner.Always: "·",
}

// WriteStatus prints the header, a line for each step, and the way on.
func WriteStatus(streams Streams, doc StatusDocument) {
	s := newScreen(streams, streams.Out)
	for _, line := range doc.Header {
		s.line("%s", line)
	}
	s.line("")
	for _, step := range doc.Steps {
		s.steps = max(s.steps, len(step.ID))
	}
	for _, step := range doc.Steps {
		for _, line := range tableRow(fmt.Sprintf("%s  %s  ", stateMarks[step.State], s.step(step.ID)), s.plain(step.Reason), "", s.width) {
			s.line("%s", line)
		}
	}
	if doc.Paused != "" {
		s.line("")
		s.line("Rancher is paused for this cluster: %s", doc.Paused)
		s.line("%s says how to go back or on", GoingBack)
	}
	if doc.Unread != "" {
		s.line("")
		s.prose("?  ", doc.Unread)
	}
	if doc.Pending {
		s.line("")
		s.line("next   %s", doc.Next)
	}
}
