package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// statusFlags select the output of a status.
type statusFlags struct {
	ExitCode bool   `flag:"exit-code"`
	Watch    bool   `flag:"watch"`
	Progress string `flag:"progress"`
	History  bool   `flag:"history"`
}

// newStatusCommand returns the status command of a distribution.
func newStatusCommand(a *app.App, named string, flags target.Flags) *cobra.Command {
	show := &statusFlags{}
	cmd := &cobra.Command{
		Use:   "status " + named,
		Short: "Show how far a cluster is, from the cluster itself, and write nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show.Watch {
				return followRun(cmd.Context(), a, flags, show.Progress)
			}
			if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
				return err
			}
			if show.History {
				return showHistory(cmd.Context(), a, flags)
			}
			return showStatus(cmd.Context(), a, flags, show.ExitCode)
		},
	}
	target.Define(cmd.Flags(), options.Status, show)
	cmd.MarkFlagsMutuallyExclusive("exit-code", "watch", "history")
	usage.AddOutputFlag(cmd, a, append(usage.DocumentFormats(), "jsonl")) // with --watch
	return cmd
}

func showStatus(ctx context.Context, a *app.App, flags target.Flags, exitCode bool) error {
	s, words, err := target.Open(ctx, flags, a.Opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	record, err := s.Record(ctx)
	if err != nil {
		return err
	}
	working, unread := s.Account(ctx)
	s = s.AsRun(ctx, working)
	seen, observation, err := s.Look(ctx, record)
	if err != nil {
		if record.Unread != nil && fault.ClassOf(err) == fault.Check {
			return record.Unread // mixed arguments may be awsmigrate's own unfinished step, which only the journal shows
		}
		return err
	}
	if err := s.Procedure.Alone(ctx, seen); err != nil {
		return err
	}
	words.Undoing = s.Undoing()
	words = words.Resuming(runsOf(ctx, s))
	doc := view.NewStatus(s.Procedure.Target(), infos(s.Procedure), observation, commands(words))
	doc.Header, doc.Paused, doc.Unread = s.Procedure.Header(seen), seen.Reading.Paused, unreadText(record)
	if unread != nil && doc.Unread == "" {
		doc.Unread = unread.Error()
	}
	doc = doc.WithRun(working, commands(words))
	if a.Output == "text" {
		view.WriteStatus(a.Streams, doc, s.Clock.Now())
	} else if err := view.WriteDocument(a.Streams.Out, a.Output, doc); err != nil {
		return err
	}
	outcome := record.Unread
	if exitCode && doc.Pending {
		outcome = errors.Join(outcome, &fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "steps are still to do"})
	}
	return view.Shown(outcome)
}

// followRun shows another run, or a rollout without a run.
func followRun(ctx context.Context, a *app.App, flags target.Flags, asked string) error {
	if err := a.CheckOutput("text", "jsonl"); err != nil {
		return err
	}
	progress, err := progressOf(a, asked)
	if err != nil {
		return err
	}
	s, words, err := target.Open(ctx, flags, a.Opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	record, err := s.Record(ctx)
	if err != nil {
		return err
	}
	working, err := s.Account(ctx)
	if err != nil {
		return err
	}
	s = s.AsRun(ctx, working)
	if _, _, err := s.Look(ctx, record); err != nil { // the direction of the last run
		return err
	}
	if a.Output == "text" {
		view.WriteFollowed(a.Streams, working, s.Clock.Now())
	}
	words.Undoing = s.Undoing()
	next := commands(words.Resuming(runsOf(ctx, s)))
	next.Following = true
	shown := runview.NewRun(a.RunOutput(progress), next)
	looking, stop := a.UntilInterrupted(ctx)
	defer stop()
	result, err := s.Follow(looking, session.Options{Engine: session.Engine{Sink: shown, EveryReading: progress == runview.ProgressBoard}})
	ended := shown.Finish(result, err)
	if run, was, err := s.LastRun(ctx); err == nil && was && working != nil && a.Output == "text" {
		view.WriteOutcome(a.Streams, run)
	}
	return ended
}

// unreadText returns why the journal could not be read, or "".
func unreadText(record journal.Record) string {
	if record.Unread == nil {
		return ""
	}
	return record.Unread.Error()
}

// runsOf returns the runs of the journal, or nil if it cannot be read.
func runsOf(ctx context.Context, s *session.Session) []journal.Run {
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return nil
	}
	return state.Runs
}

// infos returns descriptions of a procedure's steps.
func infos(p migration.Procedure) []runner.Info {
	var all []runner.Info
	for _, step := range p.Steps() {
		all = append(all, step.Info())
	}
	return all
}

// commands returns the next commands for a target.
func commands(t target.Words) view.Commands {
	return view.Commands{Run: t.Run(), Undo: t.Undo(), Status: t.Status(), UpgradePath: t.UpgradePath(), Report: t.Report, Undoing: t.Undoing, NoWayBack: migration.StepUpgrade}
}

// showHistory prints the runs and undos of the journal.
func showHistory(ctx context.Context, a *app.App, flags target.Flags) error {
	s, _, err := target.Open(ctx, flags, a.Opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return err
	}
	doc := view.NewHistory(s.Procedure.Target(), state.Runs)
	if a.Output == "text" {
		view.WriteHistory(a.Streams, doc)
		return nil
	}
	return view.WriteDocument(a.Streams.Out, a.Output, doc)
}
