package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// newStatusCommand is the status command of a distribution.
func newStatusCommand(a *app, named string, flags target.Flags) *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "status " + named,
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

func showStatus(ctx context.Context, a *app, flags target.Flags, exitCode bool) error {
	s, words, err := target.Open(ctx, flags, a.opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	record, err := s.Record(ctx)
	if err != nil {
		return err
	}
	seen, observation, err := s.Look(ctx, record)
	if err != nil {
		if record.Unread != nil && fault.ClassOf(err) == fault.Check {
			return record.Unread // a mixture may be our own half-done step, which the journal alone shows
		}
		return err
	}
	if err := s.Procedure.Alone(ctx, seen); err != nil {
		return err
	}
	words.Undoing = s.Undoing()
	doc := view.NewStatus(s.Procedure.Target(), infos(s.Procedure), observation, commands(words))
	doc.Header, doc.Paused, doc.Unread = s.Procedure.Header(seen), s.Procedure.Paused(seen), unreadText(record)
	if a.output == "text" {
		view.WriteStatus(a.streams, doc)
	} else if err := view.WriteDocument(a.streams.Out, a.output, doc); err != nil {
		return err
	}
	outcome := record.Unread
	if exitCode && doc.Pending {
		outcome = errors.Join(outcome, &fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "steps are still to do"})
	}
	return view.Shown(outcome)
}

// unreadText says that the journal could not be read; "": it was.
func unreadText(record journal.Record) string {
	if record.Unread == nil {
		return ""
	}
	return record.Unread.Error()
}

// infos describe the steps of a procedure.
func infos(p migration.Procedure) []runner.Info {
	var all []runner.Info
	for _, step := range p.Steps() {
		all = append(all, step.Info())
	}
	return all
}

// commands are what to type next about a target.
func commands(t target.Words) view.Commands {
	return view.Commands{Run: t.Run(), Undo: t.Undo(), Status: t.Status(), Undoing: t.Undoing, NoWayBack: migration.StepUpgrade}
}
