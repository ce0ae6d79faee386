package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// displayFlags returns the flags that only affect the display of a plan.
func displayFlags() []string { return []string{"dry-run", "output"} }

// typedOptions returns the typed flags of a command that carries out what its dry run shows.
func typedOptions(cmd *cobra.Command) []target.Option {
	return slices.DeleteFunc(target.Typed(cmd.Flags()), func(o target.Option) bool { return slices.Contains(displayFlags(), o.Flag) })
}
