package rollouts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

type statusFlags struct {
	target.Rollout
	Watch bool `flag:"watch"`
}

func newStatus(a *app.App) *cobra.Command {
	f := &statusFlags{}
	cmd := &cobra.Command{
		Use:   "status --name NAME",
		Short: "Show how far a rollout is, and what to do next; write nothing",
		Long: `Shows the state of a rollout as the controller has written it: a line for each wave, the
clusters that need a person, and the next command. With --watch it prints a line for
each change, until the rollout succeeds or you interrupt it. It writes nothing.`,
		Example: `  awsmigrate rollout status --name eu
  awsmigrate rollout status --name eu --watch
  awsmigrate rollout status --name eu -o json | jq .counts`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
			return err
		}
		run := f.show
		if f.Watch {
			run = f.watch
		}
		return runNamed(a, &f.Rollout, f.ReadOnly, func(ctx context.Context, c *client) error { return run(ctx, a, c) })(cmd, args)
	}
	target.Define(cmd.Flags(), options.Rollout|options.RolloutStatus, f)
	usage.AddOutputFlag(cmd, a, usage.DocumentFormats())
	return cmd
}

func (f *statusFlags) show(ctx context.Context, a *app.App, c *client) error {
	r, err := c.readRollout(ctx)
	if err != nil {
		return err
	}
	doc := view.NewRolloutStatus(r)
	doc.Next = f.nextCommand(a, doc)
	if a.Output == "text" {
		view.WriteRolloutStatus(a.Streams, doc)
		return nil
	}
	return view.WriteDocument(a.Streams.Out, a.Output, doc)
}

// nextCommand returns the command that continues the rollout, or shows its clusters.
func (f *statusFlags) nextCommand(a *app.App, doc view.RolloutStatusDocument) string {
	state := status.StateOf(doc.State)
	switch {
	case state == status.Stalled && doc.Counts.Failed > 0:
		return f.Next(a.Typed, "rollout retry")
	case doc.Paused:
		return f.Next(a.Typed, "rollout resume")
	case state == status.AwaitingApproval, slices.ContainsFunc(doc.Notes, func(n v1alpha1.RolloutNote) bool { return n.State == rollout.NotApproved }):
		return f.Next(a.Typed, "rollout approve")
	case doc.Counts.Failed > 0:
		return f.Next(a.Typed, "rollout retry")
	}
	return fault.Command("kubectl", "get", "awsm", "-n", doc.Namespace)
}

// watchInterval is the time between two readings. A rollout changes every few minutes.
const watchInterval = 2 * time.Second

// watch prints each change until the rollout succeeds, or ctx ends.
func (f *statusFlags) watch(ctx context.Context, a *app.App, c *client) error {
	if a.Output != "text" {
		return fault.AsUsage(errors.New("flag --watch: with -o " + a.Output + ", wanted -o text"))
	}
	ticker := c.clock.NewTicker(watchInterval)
	defer ticker.Stop()
	shown, missed := "", ""
	for {
		r, err := c.readRollout(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (shown == "" || fault.ClassOf(err) != fault.CouldNotLook):
			return err
		case err != nil && err.Error() != missed:
			missed = err.Error()
			a.Say(missed)
		case err == nil:
			missed = ""
			doc := view.NewRolloutStatus(r)
			if line := doc.State + ": " + doc.Message; line != shown {
				shown = line
				view.WriteRolloutChange(a.Streams, doc, c.clock.Now())
			}
			if doc.Observed && status.StateOf(doc.State) == status.Succeeded {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}
