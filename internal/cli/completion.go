package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// complete offers what a shell can finish: IDs of checks, and values of flags.
func (f *verifyFlags) complete(cmd *cobra.Command) {
	completeChecks(cmd)
	for flag, values := range map[string][]string{
		"output": slices.Concat(view.AuditFormats(), view.AccessPieces()), "access": access.Purposes(), "fail-on": {"failure", "warning"}, "aws": {"auto", "on", "off"},
		"end-state": {"auto", "external", "overrides"}, "cloud-routes": {"on", "off"},
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // an unknown flag shows in tests
	}
}

// completeChecks offers the IDs of checks for --skip and --only.
func completeChecks(cmd *cobra.Command) {
	offer := func(flag, suffix string, fits func(verify.Meta) bool, more ...string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var words []string
			for _, meta := range target.AllChecks() {
				if fits(meta) {
					words = append(words, meta.ID+suffix+"\t"+meta.Title)
				}
			}
			slices.Sort(words)
			return append(words, more...), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}) // an unknown flag shows in tests
	}
	offer("skip", "=", verify.Meta.Skippable)
	offer("only", "", func(verify.Meta) bool { return true }, target.Categories()...)
}
