package rancher

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

func newRolling(a *app.App) *cobra.Command {
	f := &scopeFlags{}
	cmd := &cobra.Command{
		Use:   "rolling",
		Short: "List clusters that are rolling out, before the controller is removed; write nothing",
		Long: `Looks once at every cluster that awsmigrate has been at work on. During a rollout,
removing the controller would leave the other machines unwatched, without an automatic
pause: exit code 3. So does a cluster that does not answer and whose run has no recorded
end. Paused rollouts are listed. The chart asks it before it is uninstalled.`,
		Example: `  awsmigrate controller rolling --kubeconfig local.yaml
  awsmigrate controller rolling --namespaces fleet-default --clusters prod`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(cmd)
			if err != nil {
				return err
			}
			c, err := controller.New(o)
			if err != nil {
				return err
			}
			return rolling(cmd.Context(), a, c)
		},
	}
	target.Define(cmd.Flags(), options.Rolling, f)
	return cmd
}

func rolling(ctx context.Context, a *app.App, c *controller.Controller) error {
	ctx, stop := a.UntilInterrupted(ctx)
	defer stop()
	rows, err := c.Leaves(ctx)
	if err != nil {
		return &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "the management cluster", Seen: "could not be read", Err: err}
	}
	view.WriteRolling(a.Streams, rows)
	return mayLeave(rows)
}

// mayLeave returns an error if a cluster would be left in the middle of its rollout.
func mayLeave(rows []fleet.Left) error {
	var held []string
	for _, row := range rows {
		if row.Holds() != "" {
			held = append(held, row.Cluster)
		}
	}
	if len(held) == 0 {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "Rolling", Object: "Cluster " + strings.Join(held, ", "), Seen: "would be left unwatched during its rollout",
		Wanted: "no cluster that rolls out", Fix: "wait until it is at rest; helm's --no-hooks goes past this question"}
}
