package cli

import (
	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
)

// newUndo returns the undo command of a distribution.
func newUndo(a *app.App, named string, flags target.Flags) *cobra.Command {
	engine := &engineFlags{undo: true}
	cmd := &cobra.Command{
		Use:   "undo " + named,
		Short: "Undo a migration, or resume an undo",
		Long: `Goes back through the positions, each proven before the next, from any state of
the migration: done, half-way, failed, or paused. The remaining steps are derived
from the cluster, and their edits from the journal. With --dry-run it shows the
steps and writes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine.typed = typedOptions(cmd)
			return runMigration(cmd.Context(), a, target.Undo{Flags: flags}, engine)
		},
	}
	engine.register(cmd.Flags())
	usage.AddOutputFlag(cmd, a, usage.RunFormats())
	return cmd
}
