package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func runMigration(ctx context.Context, a *app.App, flags target.Flags, engine *engineFlags) error {
	if err := a.CheckOutput(usage.RunFormats()...); err != nil {
		return err
	}
	if err := engine.check(); err != nil {
		return err
	}
	if engine.recording != nil {
		return migrate(ctx, a, flags, engine)
	}
	kept, err := recording.Open(recorded(a, engine))
	if err != nil {
		return err
	}
	engine.recording = kept
	err = migrate(ctx, a, flags, engine)
	if failed := kept.Close(); failed != nil {
		a.Say(failed.Error())
	}
	return err
}

// recorded returns the recording options of a run. A run at a terminal is recorded by default,
// next to its log.
func recorded(a *app.App, engine *engineFlags) recording.Options {
	actor := target.Actor()
	unasked := ""
	if engine.Record == "" && a.Streams.ErrTerminal && !engine.DryRun {
		unasked = app.DefaultRecordFile(a.Streams.Env, time.Now(), os.Getpid())
	}
	return recording.Options{Unasked: unasked, Store: !engine.DryRun, Record: engine.Record, Report: engine.Report, Command: a.CommandLine(), Version: build.This().String(),
		By: actor.User + "@" + actor.Host, Clock: clock.RealClock{}, Timeout: recorderRequestTimeout, Say: a.Say}
}

// evidenceOf returns the evidence that a run can show at its end.
func evidenceOf(r *recording.Recording) runview.Evidence {
	e := runview.Evidence{}
	e.Record, e.Report = r.Files()
	e.Judged, e.Seen = r.Judged()
	e.Refused = r.Refused()
	kept := r.Kept()
	e.StoredRun, e.Unkept = kept.Run, kept.Err
	return e
}

// recorderRequestTimeout limits each request of a run's recorder, except watches.
const recorderRequestTimeout = 30 * time.Second

func migrate(ctx context.Context, a *app.App, flags target.Flags, engine *engineFlags) error {
	if engine.OnFailure == "undo" && a.Output != "text" {
		return fault.AsUsage(fmt.Errorf("flag --on-failure: undo prints a second run; wanted -o text"))
	}
	progress, err := progressOf(a, engine.Progress)
	if err != nil {
		return err
	}
	if engine.DryRun {
		return planMigration(ctx, a, flags, asPlan{typed: engine.typed})
	}
	if a.Unwatched == nil { // an undo on failure has it already
		a.Outlive()
	}
	if note := app.OverSSH(a.Streams); note != "" {
		console.Note(a.Streams, note)
	}
	asked, err := flags.Asked(a.Opening())
	if err != nil {
		return err
	}
	if (engine.Yes || engine.Plan != "") && !engine.answered {
		if err := asked.RequireEdits(); err != nil {
			return err
		}
	}
	engine.ask = asked.Unanswered
	next := commands(asked.Words)
	next.ByCommits = asked.Options.HandOver
	output := a.RunOutput(progress)
	output.Evidence = func() runview.Evidence { return evidenceOf(engine.recording) }
	shown := runview.NewRun(output, next)
	shown, answered := a.Asking(shown)
	ring := ringer(ctx, a, engine, progress, asked.Words)
	asked.Options.Engine = engineOf(a, engine, shown, next, func() { shown.MakeRoom(); ring() })
	asked.Options.EveryReading = progress == runview.ProgressBoard
	asked.Options.Live = shown.Above()
	if progress != runview.ProgressPlain && !engine.Verbose {
		asked.Options.Live = io.Discard // rke's log holds it, and a board shows its last line
	}
	result, err := session.Run(ctx, asked.Target, asked.Options)
	answered()
	if result.Resume != "" && fault.ClassOf(err) == fault.Stale { // that plan stays stale
		result.Resume = a.Typed.Line(withoutFlags(a.Args, "--record", "--report", "--plan")...)
	}
	if !result.Began {
		return err
	}
	failed := shown.Finish(result.Result, err)
	teller(a, engine, progress).Tell(ctx, endOf(asked.Words, result.Result, failed))
	if engine.OnFailure != "undo" || !mayUndo(result.Result, err) || a.Signals.HungUp() {
		return failed
	}
	if since := asked.Options.Clock.Since(result.Unread); outage(since) {
		fmt.Fprintf(a.Streams.Err, "no automatic undo: the API could not be read %s ago, which may have caused the failure; %s shows how to undo or continue\n",
			since.Round(time.Second), view.GoingBack)
		return failed
	}
	if asked.Words.Undoing {
		return failed
	}
	return goBack(ctx, a, flags, engine, failed)
}

// progressOf returns how a running run is shown: as requested, or else by a board if the terminal
// can show one.
func progressOf(a *app.App, asked string) (runview.Progress, error) {
	lines := a.Output == "jsonl" // one per event, and no other output
	switch {
	case asked == string(runview.ProgressBoard) && (lines || !a.Streams.ErrTerminal):
		return "", fault.AsUsage(fmt.Errorf("flag --progress: a board is drawn where standard error is a terminal, and not with -o jsonl"))
	case lines:
		return runview.ProgressPlain, nil
	case asked != "":
		return runview.Progress(asked), nil
	case a.Streams.ErrTerminal && a.Streams.Env("TERM") != "dumb" && a.Streams.Env("CI") == "":
		return runview.ProgressBoard, nil
	}
	return runview.ProgressPlain, nil
}

// engineOf returns an engine controlled by the flags and this process. shown displays the run, next
// holds the target's next commands, and asking is called before a question.
func engineOf(a *app.App, flags *engineFlags, shown runner.Sink, next view.Commands, asking func()) session.Engine {
	engine := session.Engine{
		Version: build.This().String(), Unattended: flags.Yes,
		Command: resumeLine(a, flags, next), Recording: flags.recording, Until: journal.StepID(flags.Until), Only: journal.StepID(flags.Step),
		Timeout: flags.Timeout, Deadline: flags.Deadline, Clock: clock.RealClock{}, Sink: shown,
		Interrupt: a.Interrupts, PauseRequest: a.Signals.PauseRequests, HangUp: a.Signals.HangUps, Hold: a.Signals.UntilAnswered, Approve: approver(a, flags, next, asking), Confirm: confirmer(flags),
	}
	if flags.Plan != "" {
		engine.Saved = func(target journal.Target) (*runner.WholePlan, error) { return savedPlan(flags.Plan, target) }
	}
	return engine
}

// resumeLine returns the command that resumes a run, for the journal, too. It omits output files that the
// run created: those must be new. An undo after a failure is not what was typed.
func resumeLine(a *app.App, flags *engineFlags, next view.Commands) string {
	if flags.answered {
		return next.Undo + " --yes"
	}
	return a.Typed.Line(withoutFlags(a.Args, "--record", "--report")...)
}

// withoutFlags returns arguments without some flags that have values.
func withoutFlags(args []string, flags ...string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(args[i], "=")
		if !slices.Contains(flags, name) {
			kept = append(kept, args[i])
			continue
		}
		if !hasValue {
			i++
		}
	}
	return kept
}

// mayUndo reports whether a run failed in the middle of its work. That excludes runs that were
// refused, stopped by a user or another run, or lacked an answer.
func mayUndo(result runner.Result, err error) bool {
	class, step := fault.ClassOf(err), runview.StoppedStep(result)
	return (class == fault.Check || class == fault.NoProgress) && step != "" && step != migration.StepPreflight && result.Position != position.P0.String()
}

// outage reports whether an API outage is so recent that it may have caused a failure. since is
// the time since the outage, or an age after a run without one.
func outage(since time.Duration) bool { return since < procedure.BackOff }

// goBack undoes the work of a failed run. The failure stays the outcome.
func goBack(ctx context.Context, a *app.App, flags target.Flags, engine *engineFlags, failed error) error {
	back := *engine
	back.answered, back.undo = true, true
	back.Yes, back.OnFailure, back.Until, back.Step, back.Plan = true, "stop", "", "", ""
	if err := runMigration(ctx, a, target.Undo{Flags: flags}, &back); err != nil {
		return err
	}
	return failed
}

// confirmer passes an irreversible gate only with the cluster's own name.
func confirmer(engine *engineFlags) func(context.Context, string, runner.Info) error {
	return func(_ context.Context, cluster string, step runner.Info) error {
		if engine.Confirm == cluster {
			return nil
		}
		return &fault.Error{Class: fault.Gate, Reason: "IrreversibleGate", Object: "step " + string(step.ID),
			Seen: "cannot be undone: " + step.Irreversible, Fix: "add " + fault.Command("--confirm="+cluster) + " to continue"}
	}
}
