package rollouts

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// New returns the command rollout with its commands.
func New(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollout",
		Short: "Show, approve, pause and retry a MigrationRollout: many clusters, in waves",
		Long: `A MigrationRollout migrates the ClusterMigrations of its namespace in waves. The
controller sets the goal of each, so that each gets a plan. Nothing begins before
rollout approve, which approves all of these plans. Then the clusters of the first wave
begin, a few at a time, and the next wave begins when they are done. A wave in which too
many clusters fail stops the rollout.`,
		Example: `  awsmigrate rollout plan --file rollout.yaml
  awsmigrate rollout approve --name eu
  awsmigrate rollout status --name eu --watch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPlan(a), newStatus(a), newApprove(a), newPause(a), newResume(a), newRetry(a))
	return cmd
}

// runNamed returns the RunE of a command about a named rollout. config is that of its client.
func runNamed(a *app.App, flags *target.Rollout, config func() (*rest.Config, error), run func(context.Context, *client) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		if flags.Name == "" {
			return fault.AsUsage(errors.New("flag --name is required"))
		}
		ctx, stop := a.UntilInterrupted(cmd.Context())
		defer stop()
		c, err := newClient(flags, config)
		if err != nil {
			return err
		}
		return run(ctx, c)
	}
}
