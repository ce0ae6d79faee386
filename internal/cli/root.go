package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/explain"
	"github.com/awsmigrate/awsmigrate/internal/cli/rancher"
	"github.com/awsmigrate/awsmigrate/internal/cli/records"
	"github.com/awsmigrate/awsmigrate/internal/cli/rollouts"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
)

// Main runs the command line and returns its exit code.
func Main(ctx context.Context, args []string, streams console.Streams) int {
	return MainAs(ctx, usage.Program, args, streams)
}

// MainAs is Main for a process that was started under another name, argv0.
func MainAs(ctx context.Context, argv0 string, args []string, streams console.Streams) int {
	ctx, signals, stop := app.WatchSignals(ctx)
	defer stop()
	a := app.New(streams, signals, args, usage.TypedProgram(argv0))
	root := usage.WithCompletion(usage.Named(newRoot(a), argv0))
	usage.HelpErrors(a, root)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	usage.FitFixes(cmd, err)
	return a.End(err)
}

func newRoot(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:   usage.Program,
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
				cmd.SetContext(a.NoteConnecting(cmd.Context(), clock.RealClock{}))
			}
			return cmp.Or(usage.CheckGroups(cmd), target.CheckFlags(cmd.Flags(), usage.ScopeOf(cmd)))
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(a.Streams.Out)
	root.SetErr(a.Streams.Err)
	root.SetIn(a.Streams.In)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage.FlagError(a, cmd, err) })
	root.AddCommand(newRKE2(a), newRKE(a), newOf(a, newPlan), newOf(a, newStatusCommand), newVerify(a), newUpgradePath(a), records.NewRecord(a), records.NewReport(a), rancher.NewList(a), newJob(a), rancher.NewController(a), rancher.NewApprove(a), rollouts.New(a), explain.New(a), newVersion(a))
	root.SetUsageFunc(func(cmd *cobra.Command) error { return usage.Write(cmd, console.HelpWidth(a.Streams)) })
	usage.GroupCommands(root)
	usage.RefuseArguments(a, root)
	usage.Complete(root)
	return root
}

// newOf returns a command of either distribution, for users who do not name one.
func newOf(a *app.App, build func(*app.App, string, target.Flags) *cobra.Command) *cobra.Command {
	flags := &target.Either{}
	cmd := build(a, "--cluster NAME | --config cluster.yml", flags)
	flags.Register(cmd.Flags())
	return cmd
}

// Tree returns every command with its flags, for generated files: completion scripts and manual
// pages. Its commands must not run.
func Tree(argv0 string) *cobra.Command {
	root := usage.WithCompletion(usage.Named(newRoot(&app.App{}), argv0))
	root.InitDefaultHelpCmd()
	return root
}
