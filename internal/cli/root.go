package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Main runs the command line and returns its exit code.
func Main(ctx context.Context, args []string, streams console.Streams) int {
	return MainAs(ctx, program, args, streams)
}

// MainAs is Main for a process that was started under another name, argv0.
func MainAs(ctx context.Context, argv0 string, args []string, streams console.Streams) int {
	ctx, signals, stop := watchSignals(ctx)
	defer stop()
	app := newApp(streams, signals, args)
	app.typed = typedProgram(argv0)
	app.streams.Program = app.typed.Line()
	root := withCompletion(named(newRoot(app), argv0))
	app.helpErrors(root)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	fitFixes(cmd, err)
	return app.end(err)
}

// newApp returns the state of a process that checks its standard output.
func newApp(streams console.Streams, signals *signals, args []string) *app {
	stdout := &output{to: streams.Out}
	streams.Out = stdout
	return &app{streams: streams, stdout: stdout, signals: signals, interrupts: signals.interrupts, args: args}
}

// end shows output that no view has shown yet, and returns the exit code.
func (a *app) end(err error) int {
	if err != nil && !view.IsShown(err) && a.stdout.lost() == nil {
		view.WriteError(a.streams, a.output, err)
	}
	if lost := a.stdout.lost(); lost != nil { // a document with the error would be lost too
		err = errors.Join(err, lost)
		view.WriteError(a.streams, "text", err)
	}
	if a.unwatched != nil {
		a.unwatched.log.close()
	}
	return view.ExitCode(err)
}

// app holds the state that all commands share: streams, signals and the typed words.
type app struct {
	streams    console.Streams
	stdout     *output
	signals    *signals
	interrupts <-chan struct{}
	unwatched  *unwatched // nil if a hang-up ends the command
	args       []string
	typed      target.Program // before args
	output     string         // -o, the same flag on every command that reports
}

// commandLine returns the typed command, for the journal and the resume line.
func (a *app) commandLine() string { return a.typed.Line(a.args...) }

// say prints a line for people, outside the command's output.
func (a *app) say(line string) { console.Say(a.streams, line) }

// opening returns the output of a target's programs, and this program's name.
func (a *app) opening() target.Output {
	return target.Output{Err: a.streams.Err, Program: a.typed}
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "Move Rancher clusters from the in-tree AWS cloud provider to the external one",
		Long: `awsmigrate moves Rancher RKE2 and RKE clusters from the in-tree AWS cloud
provider to the external AWS cloud controller manager with leader migration:
step by step, resumable, and proven from the cluster itself.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       readVersion().text(),
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Name() != "controller" { // its standard error is JSON lines
				cmd.SetContext(a.noteConnecting(cmd.Context(), clock.RealClock{}))
			}
			return cmp.Or(checkGroups(cmd), target.CheckFlags(cmd.Flags(), scopeOf(cmd)))
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	root.SetIn(a.streams.In)
	root.SetFlagErrorFunc(a.flagError)
	root.AddCommand(newRKE2(a), newRKE(a), newOf(a, newPlan), newOf(a, newStatusCommand), newVerify(a), newRecord(a), newReport(a), newList(a), newJob(a), newController(a), newApprove(a), newExplain(a), newVersion(a))
	root.SetUsageFunc(func(cmd *cobra.Command) error { return usage(cmd, console.HelpWidth(a.streams)) })
	groupCommands(root)
	a.usageErrors(root)
	complete(root)
	return root
}

// newOf returns a command of either distribution, for users who do not name one.
func newOf(a *app, build func(*app, string, target.Flags) *cobra.Command) *cobra.Command {
	flags := &target.Either{}
	cmd := build(a, "--cluster NAME | --config cluster.yml", flags)
	flags.Register(cmd.Flags())
	return cmd
}

// checkOutput returns an error for an unknown -o before anything is read or written.
func (a *app) checkOutput(allowed ...string) error {
	for _, format := range allowed {
		if a.output == format {
			return nil
		}
	}
	return &fault.Error{Class: fault.Usage, Reason: "UnknownOutput", Object: "flag --output",
		Seen: "\"" + a.output + "\"", Wanted: "one of " + strings.Join(allowed, ", "), Fix: fault.DidYouMean(a.output, allowed)}
}
