package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// offlineDocument holds the result of a plan without a cluster.
type offlineDocument struct {
	Names     naming.NameAssumption `json:"names"`
	Results   []verify.Result       `json:"checks"`    // those that the file alone decides
	Undecided []string              `json:"undecided"` // the checks that need the cluster
}

// addOffline adds the flag that needs no cluster to `rke plan`.
func addOffline(cmd *cobra.Command, a *app.App, flags *target.RKE) {
	look := struct {
		Offline bool `flag:"offline"`
	}{}
	target.Define(cmd.Flags(), options.PlanRKE, &look)
	online := cmd.RunE
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if !look.Offline {
			return online(c, args)
		}
		if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
			return err
		}
		return planOffline(c.Context(), a, flags)
	}
}

// planOffline shows the plan even if a check failed; the exit code reports it. In JSON, one
// document holds both.
func planOffline(ctx context.Context, a *app.App, flags *target.RKE) error {
	if flags.Config == "" {
		return fault.AsUsage(errors.New("flag --config is required: the cluster.yml of an RKE cluster"))
	}
	options, err := flags.Offline(a.Opening())
	if err != nil {
		return err
	}
	plan, err := rke.OfflinePlan(ctx, options)
	if err != nil {
		return err
	}
	report := verifyview.TidyReport(plan.Report)
	header := offlineHeader(flags.Config, plan, report)
	if a.Output != "text" {
		doc := planDocument{TypeMeta: view.KindOf("Plan"), Target: journal.Target{Kind: string(wellknown.RKE), Name: flags.Config}, Header: header,
			WholePlan: runner.WholePlan{Version: build.This().String(), Steps: plan.Steps}, Pending: len(plan.Steps) > 0, Checks: newPlanChecks(procedure.Foreseen{Report: plan.Report, Stops: plan.Err}, plan.Err),
			Offline: &offlineDocument{Names: plan.Names, Results: report.Results, Undecided: plan.Undecided}}
		if err := view.WriteDocument(a.Streams.Out, a.Output, doc); err != nil {
			return err
		}
		return view.Shown(plan.Err)
	}
	view.WritePlan(a.Streams, header, plan.Steps, true)
	view.WriteSum(a.Streams, plan.Steps, nil)
	return plan.Err
}

// offlineHeader returns lines about what was judged, found, assumed, and left to the cluster.
func offlineHeader(config string, plan rke.Offline, report verify.Report) []string {
	lines := append([]string{fmt.Sprintf("%s   judged alone: %d checks ok; %d need the cluster", config, report.Counts[verify.OK], len(plan.Undecided))},
		verifyview.FindingLines(report)...)
	switch {
	case len(plan.Steps) > 0:
		return append(lines, plan.Names.String())
	case plan.Err != nil:
		return append(lines, "no plan: the file is not one of a cluster that can be migrated as it is")
	}
	return append(lines, "nothing to do in the file: its provider is external-aws")
}
