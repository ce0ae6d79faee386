package usage

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// Names under which the program is started. kubectl runs kubectl-awsmigrate for `kubectl
// awsmigrate` (kubernetes/kubectl:pkg/cmd/plugin.go).
const (
	Program = "awsmigrate"
	Plugin  = "kubectl-" + Program
)

// TypedProgram returns the words that a user types before the arguments, or nil for the program's
// name.
func TypedProgram(argv0 string) target.Program {
	if filepath.Base(argv0) == Plugin {
		return target.Program{"kubectl", Program}
	}
	return nil
}

// Named makes help and usage show the typed words. Completion scripts are for the started file,
// kubectl-awsmigrate.
func Named(root *cobra.Command, argv0 string) *cobra.Command {
	if by := TypedProgram(argv0); by != nil {
		root.Use = Plugin
		typed := by.Line()
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: typed}
		examplesTyped(root, typed)
	}
	return root
}

// examplesTyped makes the examples of a command and its children begin with the typed words.
func examplesTyped(cmd *cobra.Command, typed string) {
	cmd.Example = strings.ReplaceAll(cmd.Example, "  "+Program+" ", "  "+typed+" ")
	for _, child := range cmd.Commands() {
		examplesTyped(child, typed)
	}
}
