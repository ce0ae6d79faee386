package usage

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
)

// HelpErrors makes cobra's own commands refuse words that they do not know. They would print help
// and exit 0.
func HelpErrors(a *app.App, root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Run, cmd.RunE = nil, func(help *cobra.Command, words []string) error { return helpOf(a, help.Root(), words) }
		case "completion":
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, func(completion *cobra.Command, words []string) error { return helpOf(a, completion, words) }
		}
	}
}

// helpOf prints the help of the command below cmd that words name.
func helpOf(a *app.App, cmd *cobra.Command, words []string) error {
	for _, word := range words {
		child := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
		if child < 0 {
			return unknownCommand(a, cmd, word)
		}
		cmd = cmd.Commands()[child]
	}
	cmd.InitDefaultHelpFlag()
	return cmd.Help()
}
