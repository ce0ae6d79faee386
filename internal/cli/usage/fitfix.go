package usage

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// flagName matches a flag in a text.
var flagName = regexp.MustCompile(`--([a-z][a-z-]+)`)

// ownCommand matches a command in a text, whose flags are its own.
var ownCommand = regexp.MustCompile(`\b(awsmigrate|kubectl|helm|aws|systemctl|rke)\b`)

// FitFixes removes advice from errors that names flags which the command does not have: a library does not
// know which command called it.
func FitFixes(cmd *cobra.Command, err error) {
	if err == nil {
		return
	}
	for _, one := range view.Flatten(err) {
		if f, ok := fault.As(one); ok {
			f.Fix = FitFix(cmd, f.Fix)
		}
	}
}

// FitFix returns a fix without the clauses that name another command's flags. A flag that no command
// has belongs to a component.
func FitFix(cmd *cobra.Command, fix string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(fix, "; "), func(clause string) bool {
		if ownCommand.MatchString(clause) {
			return false
		}
		return slices.ContainsFunc(flagName.FindAllStringSubmatch(clause, -1), func(m []string) bool { return cmd.Flags().Lookup(m[1]) == nil && hasAny(cmd.Root(), m[1]) })
	}), "; ")
}

// hasAny reports whether the command or one below it has the flag.
func hasAny(cmd *cobra.Command, flag string) bool {
	return cmd.Flags().Lookup(flag) != nil || slices.ContainsFunc(cmd.Commands(), func(below *cobra.Command) bool { return hasAny(below, flag) })
}

// FitRows fits the fixes in the rows of a list.
func FitRows(cmd *cobra.Command, rows []inventory.Row) {
	for _, row := range rows {
		for i := range row.Stops {
			row.Stops[i].Fix = FitFix(cmd, row.Stops[i].Fix)
		}
	}
}
