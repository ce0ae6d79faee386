package rollouts

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

func newPause(a *app.App) *cobra.Command {
	f := &target.Rollout{}
	cmd := &cobra.Command{
		Use:   "pause --name NAME",
		Short: "Let no further cluster of a rollout begin, and no further block of steps",
		Long: `Sets spec.paused. No cluster begins, and a cluster that has begun begins no further block
of steps. A rollout of Rancher that has begun goes on, and the controller watches it to its
end.`,
		Example: `  awsmigrate rollout pause --name eu`,
		Args:    cobra.NoArgs,
		RunE: runNamed(a, f, f.ReadWrite, func(ctx context.Context, c *client) error {
			said, err := c.setPaused(ctx, true)
			if err == nil {
				a.Say(said + ": no cluster begins, and none begins another block of steps. Rollouts of Rancher that have begun go on, and are watched")
				a.Say("to continue: " + f.Next(a.Typed, "rollout resume"))
			}
			return err
		}),
	}
	target.Define(cmd.Flags(), options.Rollout, f)
	return cmd
}

func newResume(a *app.App) *cobra.Command {
	f := &target.Rollout{}
	cmd := &cobra.Command{
		Use:   "resume --name NAME",
		Short: "Let the clusters of a paused rollout begin again",
		Long: `Unsets spec.paused. Clusters continue, and others begin when their wave has its turn. The
deadlines of clusters that have begun did not wait.`,
		Example: `  awsmigrate rollout resume --name eu`,
		Args:    cobra.NoArgs,
		RunE: runNamed(a, f, f.ReadWrite, func(ctx context.Context, c *client) error {
			said, err := c.setPaused(ctx, false)
			if err == nil {
				a.Say(said + ": clusters begin within the limits of their waves")
				a.Say("to see the progress: " + f.Next(a.Typed, "rollout status") + " --watch")
			}
			return err
		}),
	}
	target.Define(cmd.Flags(), options.Rollout, f)
	return cmd
}

// setPaused sets spec.paused, and returns what the rollout is now.
func (c *client) setPaused(ctx context.Context, paused bool) (string, error) {
	r, err := c.readRollout(ctx)
	if err != nil {
		return "", err
	}
	words := map[bool]string{true: "paused", false: "not paused"}[paused]
	if r.Spec.Paused == paused {
		return c.object() + " was " + words + " already", nil
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"paused": paused}})
	if err != nil {
		return "", err
	}
	if err := c.patch(ctx, types.MergePatchType, patch); err != nil {
		return "", fmt.Errorf("set spec.paused: %w", err)
	}
	return c.object() + " is " + words + " now", nil
}
