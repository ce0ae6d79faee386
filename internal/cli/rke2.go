package cli

import (
	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
)

func newRKE2(a *app.App) *cobra.Command {
	flags := &target.RKE2{}
	engine := &engineFlags{}
	cmd := &cobra.Command{
		Use:   "rke2 --cluster NAME",
		Short: "Migrate a Rancher-provisioned RKE2 cluster, or resume a migration",
		Long: `Runs the migration of a Rancher-provisioned RKE2 cluster from the in-tree AWS
cloud provider to the external one. What is done is read from the cluster, so
the same command resumes a migration at any position.`,
		Example: `  awsmigrate rke2 plan --cluster prod
  awsmigrate rke2 --cluster prod
  awsmigrate rke2 --cluster prod --until install-ccm --yes --edits apply -o jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine.typed = typedOptions(cmd)
			return runMigration(cmd.Context(), a, flags, engine)
		},
	}
	flags.Register(cmd.Flags())
	engine.register(cmd.Flags())
	usage.AddOutputFlag(cmd, a, usage.RunFormats())
	cmd.AddCommand(belowRKE2(a, newPlan), belowRKE2(a, newStatusCommand), newRKE2Undo(a))
	return cmd
}

func newRKE2Undo(a *app.App) *cobra.Command {
	flags := &target.RKE2{}
	cmd := newUndo(a, rke2Target, flags)
	flags.RegisterUndo(cmd.Flags())
	return cmd
}

const rke2Target = "--cluster NAME"

// belowRKE2 returns a subcommand of rke2 with its own flags.
func belowRKE2(a *app.App, build func(*app.App, string, target.Flags) *cobra.Command) *cobra.Command {
	flags := &target.RKE2{}
	cmd := build(a, rke2Target, flags)
	flags.Register(cmd.Flags())
	return cmd
}
