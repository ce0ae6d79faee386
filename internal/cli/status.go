package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// statusDocument is what `status -o json` prints.
type statusDocument struct {
	typeMeta
	Target      runner.Target      `json:"target"`
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
	ID     runner.StepID    `json:"id"`
	Title  string           `json:"title"`
	State  runner.StateKind `json:"state"`
	Reason string           `json:"reason,omitempty"`
}

// newStatusCommand is the status command of a distribution.
func newStatusCommand(a *app, target string, flags opener) *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "status " + target,
		Short: "Say how far a cluster is, from the cluster itself, and write nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkOutput("text", "json", "yaml"); err != nil {
				return err
			}
			return showStatus(cmd.Context(), a, flags, exitCode)
		},
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 5 if a step is still to do")
	addOutputFlag(cmd, a, "text|json|yaml")
	return cmd
}

func showStatus(ctx context.Context, a *app, flags opener, exitCode bool) error {
	session, err := flags.open(ctx, a, readOnly)
	if err != nil {
		return err
	}
	record, err := session.record(ctx)
	if err != nil {
		return err
	}
	seen, observation, err := session.look(ctx, record)
	if err != nil {
		if record.Unread != nil && fault.ClassOf(err) == fault.Check {
			return record.Unread // a mixture may be our own half-done step, which the journal alone tells
		}
		return err
	}
	if err := session.procedure.Alone(ctx, seen); err != nil {
		return err
	}
	doc := newStatus(session.procedure, session.procedure.Header(seen), session.procedure.Paused(seen), observation, session.words)
	doc.Unread = unreadText(record)
	if a.output == "text" {
		writeStatus(newScreen(a.streams, a.streams.Out), doc)
	} else if err := writeDocument(a.streams.Out, a.output, doc); err != nil {
		return err
	}
	outcome := record.Unread
	if exitCode && doc.Pending {
		outcome = errors.Join(outcome, &fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "steps are still to do"})
	}
	return shown(outcome)
}

// unreadText says that the journal could not be read; "": it was.
func unreadText(record runner.Record) string {
	if record.Unread == nil {
		return ""
	}
	return record.Unread.Error()
}

// newStatus puts one observation into words.
func newStatus(p migration.Procedure, header []string, paused string, seen runner.Observation, target targetWords) statusDocument {
	doc := statusDocument{typeMeta: kind("Status"), Target: p.Target(), Header: header, Observation: seen,
		Paused: paused, Pending: anyPending(seen), Next: target.next(seen)}
	for _, step := range p.Steps() {
		info := step.Info()
		state := seen.States[info.ID]
		doc.Steps = append(doc.Steps, stepStatus{ID: info.ID, Title: info.Title, State: state.Kind, Reason: state.Reason})
	}
	return doc
}

// stateMarks tell a step's state without colour.
var stateMarks = map[runner.StateKind]string{
	runner.Done: "✓", runner.Todo: "·", runner.InProgress: "◐", runner.Skipped: "–", runner.Always: "·",
}

func writeStatus(s screen, doc statusDocument) {
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
		s.line("%s says how to go back or on", goingBack)
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
