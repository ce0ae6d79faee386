package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// unknownFlag suggests the intended flag. Flags of an unknown command are unknown as well, so it
// then suggests the command.
func unknownFlag(cmd *cobra.Command, err error) error {
	if word := cmd.Flags().Arg(0); word != "" && cmd.HasAvailableSubCommands() {
		return unknownCommand(cmd, word)
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return fault.AsUsage(err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	word := "--" + missing.GetSpecifiedName()
	return &fault.Error{Class: fault.Usage, Reason: "UnknownFlag", Object: "flag " + word, Seen: "there is no such flag of " + cmd.CommandPath(),
		Fix: addHelp(cmd, fault.DidYouMean(word, known))}
}

// unknownCommand returns the error for a word in place of one of cmd's commands.
func unknownCommand(cmd *cobra.Command, word string) error {
	var known []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			known = append(known, child.Name())
		}
	}
	return &fault.Error{Class: fault.Usage, Reason: "UnknownCommand", Object: "\"" + word + "\"", Seen: "there is no such command of " + cmd.CommandPath(),
		Wanted: "one of " + strings.Join(known, ", "), Fix: addHelp(cmd, fault.DidYouMean(word, known))}
}

// addHelp adds the help command to a fix.
func addHelp(cmd *cobra.Command, fix string) string {
	if fix != "" {
		return fix
	}
	return cmd.CommandPath() + " --help"
}

// usageErrors turns cobra's argument errors into usage errors, and suggests the intended command.
func usageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err != nil && len(args) > 0 && c.HasAvailableSubCommands() {
				return unknownCommand(c, args[0])
			}
			return fault.AsUsage(err)
		}
	}
	for _, child := range cmd.Commands() {
		usageErrors(child)
	}
}
