package rancher

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// NewList returns the command list.
func NewList(a *app.App) *cobra.Command {
	flags := &target.Fleet{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every cluster of a Rancher with its kind, position and obstacles; write nothing",
		Long: `Lists every cluster of the Rancher that the kubeconfig reaches: distribution,
Kubernetes version, cloud provider, position, the tool that owns its configuration,
and what stops it or comes next. It writes nothing.

Clusters with the in-tree AWS provider, and those that awsmigrate has been at work
on, are asked themselves, several at once. All others are listed as Rancher knows
them. A cluster that does not answer says so in its row, and the exit code is 10.

It runs no checks: plan shows what would stop a run, verify what is wrong.`,
		Example: `  awsmigrate list
  awsmigrate list --namespace fleet-default --no-reach
  awsmigrate list -o json | jq -r '.clusters[] | select(.state == "not-begun") | .next'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
				return err
			}
			return listClusters(cmd, a, flags)
		},
	}
	flags.Register(cmd.Flags())
	usage.AddOutputFlag(cmd, a, usage.DocumentFormats())
	return cmd
}

func listClusters(cmd *cobra.Command, a *app.App, flags *target.Fleet) error {
	ctx, stop := a.UntilInterrupted(cmd.Context())
	defer stop()
	fleet, err := flags.Rancher().Fleet(ctx)
	if err != nil {
		return err
	}
	for i := range fleet.Rows {
		fleet.Rows[i].Next = flags.Next(fleet.Rows[i], a.Typed)
	}
	usage.FitRows(cmd, fleet.Rows)
	doc := view.NewList(fleet)
	if a.Output == "text" {
		view.WriteList(a.Streams, doc)
		if note := noteNamespace(flags.Namespace, fleet.Rows); note != "" {
			console.Note(a.Streams, note)
		}
	} else if err := view.WriteDocument(a.Streams.Out, a.Output, doc); err != nil {
		return err
	}
	return view.Shown(checkListed(fleet))
}

// noteNamespace returns a hint for a list that is empty because of --namespace, or "".
func noteNamespace(namespace string, rows []inventory.Row) string {
	if namespace == "" || len(rows) > 0 {
		return ""
	}
	return "only namespace " + namespace + " was read; without --namespace, list shows the clusters of all namespaces"
}

// checkListed returns an error that lists what could not be checked, or nil.
func checkListed(fleet inventory.Fleet) error {
	n := fleet.Unlooked()
	if n == 0 && len(fleet.Unread) == 0 {
		return nil
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllSeen", Object: "the list",
		Seen: fmt.Sprintf("%d of %d clusters could not be checked", n, len(fleet.Rows))}
}
