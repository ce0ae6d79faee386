package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// planDocument is what `plan -o json` prints.
type planDocument struct {
	typeMeta
	Target      runner.Target        `json:"target"`
	Observation runner.Observation   `json:"observation"`
	Header      []string             `json:"header"`
	Steps       []runner.PlannedStep `json:"steps"`
	Pending     bool                 `json:"pending"`
	Offline     *offlineDocument     `json:"offline,omitempty"` // with --offline: what cluster.yml alone tells
}

// newPlan is the plan command of a distribution.
func newPlan(a *app, target string, flags opener) *cobra.Command {
	var detailed, diff bool
	cmd := &cobra.Command{
		Use:   "plan " + target,
		Short: "Show what a run would do, step by step, and write nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkOutput("text", "json", "yaml"); err != nil {
				return err
			}
			return planMigration(cmd.Context(), a, flags, detailed, diff)
		},
	}
	cmd.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit 5 if a step is still to do")
	cmd.Flags().BoolVar(&diff, "diff", false, "show the lines of every object, also of those that Helm installs")
	addOutputFlag(cmd, a, "text|json|yaml")
	return cmd
}

func planMigration(ctx context.Context, a *app, flags opener, detailed, diff bool) error {
	session, err := flags.open(ctx, a, readOnly)
	if err != nil {
		return err
	}
	observation, steps, err := runner.PlanAll(ctx, session.procedure, session.journal)
	if err != nil {
		return err
	}
	pending := anyPending(observation)
	if a.output == "text" {
		writePlan(newScreen(a.streams, a.streams.Out), session.procedure.Header(), steps, diff)
	} else {
		doc := planDocument{typeMeta: kind("Plan"), Target: session.procedure.Target(), Observation: observation,
			Header: session.procedure.Header(), Steps: steps, Pending: pending}
		if err := writeDocument(a.streams.Out, a.output, doc); err != nil {
			return err
		}
	}
	if detailed && pending {
		return shown(&fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "steps are still to do"})
	}
	return nil
}

// anyPending says whether a run would write.
func anyPending(o runner.Observation) bool {
	for _, state := range o.States {
		if state.Kind == runner.Todo || state.Kind == runner.InProgress {
			return true
		}
	}
	return false
}
