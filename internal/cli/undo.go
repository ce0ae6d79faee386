package cli

import (
	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// newUndo is the undo command of a distribution.
func newUndo(a *app, named string, flags target.Flags) *cobra.Command {
	engine := &engineFlags{undo: true}
	cmd := &cobra.Command{
		Use:   "undo " + named,
		Short: "Take a migration back to where it began, or take such an undo up again",
		Long: `Goes back through the positions, each proven before the next, from wherever the
migration stands: done, half-way, failed, or held by the brake. What is left to
take back is read from the cluster; how, from the journal. With --dry-run it
shows the steps and writes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine.typed = typedWords(cmd)
			return runMigration(cmd.Context(), a, target.Undo{Flags: flags}, engine)
		},
	}
	engine.register(cmd.Flags())
	addOutputFlag(cmd, a, runFormats())
	return cmd
}
