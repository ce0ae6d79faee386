package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// Names that the program is started by. kubectl runs kubectl-awsmigrate for `kubectl
// awsmigrate` (kubernetes/kubectl:pkg/cmd/plugin.go).
const (
	program = "awsmigrate"
	plugin  = "kubectl-" + program
)

// typedProgram are the words that people type before those of a command line; nil: the
// program's name.
func typedProgram(argv0 string) target.Program {
	if filepath.Base(argv0) == plugin {
		return target.Program{"kubectl", program}
	}
	return nil
}

// named has help and usage show the words that people type. Completion scripts are
// for the file that is started, kubectl-awsmigrate.
func named(root *cobra.Command, argv0 string) *cobra.Command {
	if by := typedProgram(argv0); by != nil {
		root.Use = plugin
		typed := by.Line()
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: typed}
		examplesTyped(root, typed)
	}
	return root
}

// examplesTyped has the examples of a command, and of those below it, begin as people type.
func examplesTyped(cmd *cobra.Command, typed string) {
	cmd.Example = strings.ReplaceAll(cmd.Example, "  "+program+" ", "  "+typed+" ")
	for _, child := range cmd.Commands() {
		examplesTyped(child, typed)
	}
}

// Tree is every command with its flags, for what is generated from them: completion
// scripts and manual pages. Its commands are not for running.
func Tree(argv0 string) *cobra.Command {
	root := withCompletion(named(newRoot(&app{}), argv0))
	root.InitDefaultHelpCmd()
	return root
}
