package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// Names under which the program is started. kubectl runs kubectl-awsmigrate for `kubectl
// awsmigrate` (kubernetes/kubectl:pkg/cmd/plugin.go).
const (
	program = "awsmigrate"
	plugin  = "kubectl-" + program
)

// typedProgram returns the words that a user types before the arguments, or nil for the program's
// name.
func typedProgram(argv0 string) target.Program {
	if filepath.Base(argv0) == plugin {
		return target.Program{"kubectl", program}
	}
	return nil
}

// named makes help and usage show the typed words. Completion scripts are for the started file,
// kubectl-awsmigrate.
func named(root *cobra.Command, argv0 string) *cobra.Command {
	if by := typedProgram(argv0); by != nil {
		root.Use = plugin
		typed := by.Line()
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: typed}
		examplesTyped(root, typed)
	}
	return root
}

// examplesTyped makes the examples of a command and its children begin with the typed words.
func examplesTyped(cmd *cobra.Command, typed string) {
	cmd.Example = strings.ReplaceAll(cmd.Example, "  "+program+" ", "  "+typed+" ")
	for _, child := range cmd.Commands() {
		examplesTyped(child, typed)
	}
}

// Tree returns every command with its flags, for generated files: completion scripts and manual
// pages. Its commands must not run.
func Tree(argv0 string) *cobra.Command {
	root := withCompletion(named(newRoot(&app{}), argv0))
	root.InitDefaultHelpCmd()
	return root
}
