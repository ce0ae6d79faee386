package cli

import (
	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
)

func newRKE(a *app.App) *cobra.Command {
	flags := &target.RKE{}
	engine := &engineFlags{}
	cmd := &cobra.Command{
		Use:   "rke --config cluster.yml | --cluster NAME",
		Short: "Migrate an RKE cluster, or resume a migration: by cluster.yml and rke up, or by Rancher",
		Long: `Runs the migration of an RKE cluster from the in-tree AWS cloud provider to the
external one. It edits the needed lines of cluster.yml, keeps a backup, and runs
rke up. With --cluster it is a cluster that Rancher manages: Rancher's Cluster
object is edited, and Rancher runs rke. What is done is read from the cluster and
from rke's state, so the same command resumes a migration at any position.`,
		Example: `  awsmigrate rke plan --config cluster.yml
  awsmigrate rke --config cluster.yml
  awsmigrate rke --config cluster.yml --no-rke-up --yes
  awsmigrate rke --cluster prod`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine.typed = typedOptions(cmd)
			return runMigration(cmd.Context(), a, flags, engine)
		},
	}
	flags.Register(cmd.Flags())
	engine.register(cmd.Flags())
	usage.AddOutputFlag(cmd, a, usage.RunFormats())
	cmd.AddCommand(newRKEPlan(a), newRKEStatus(a), newRKEUndo(a))
	return cmd
}

const rkeTarget = "--config cluster.yml | --cluster NAME"

func newRKEPlan(a *app.App) *cobra.Command {
	flags := &target.RKE{}
	cmd := newPlan(a, rkeTarget, flags)
	flags.Register(cmd.Flags())
	addOffline(cmd, a, flags)
	return cmd
}

func newRKEStatus(a *app.App) *cobra.Command {
	flags := &target.RKE{}
	cmd := newStatusCommand(a, rkeTarget, flags)
	flags.Register(cmd.Flags())
	return cmd
}

func newRKEUndo(a *app.App) *cobra.Command {
	flags := &target.RKE{}
	cmd := newUndo(a, rkeTarget, flags)
	flags.RegisterUndo(cmd.Flags())
	return cmd
}
