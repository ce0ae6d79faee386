package cli

import (
	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// addOffline gives `rke plan` the flag that needs no cluster.
func addOffline(cmd *cobra.Command, a *app, flags *rkeFlags) {
	var offline bool
	cmd.Flags().BoolVar(&offline, "offline", false, "show the edits of cluster.yml alone; contacts no cluster")
	online := cmd.RunE
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if !offline {
			return online(c, args)
		}
		if err := a.checkOutput("text", "json", "yaml"); err != nil {
			return err
		}
		return planOffline(a, flags)
	}
}

func planOffline(a *app, flags *rkeFlags) error {
	if flags.config == "" {
		return usage(errNoConfig)
	}
	steps, note, err := rke.OfflinePlan(flags.config, flags.migration.kubernetesVersion)
	if err != nil {
		return err
	}
	target := runner.Target{Kind: "rke", Name: flags.config}
	if a.output != "text" {
		return writeDocument(a.streams.Out, a.output, planDocument{typeMeta: kind("Plan"), Target: target,
			Header: []string{note}, Steps: steps, Pending: len(steps) > 0})
	}
	writePlan(newScreen(a.streams, a.streams.Out), []string{note}, steps, true)
	return nil
}
