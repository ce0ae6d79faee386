package target

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Words are the words of a command line that name the target again.
type Words struct {
	Command string   // "rke2"
	Undoing bool     // it is an undo that these words are about
	Args    []string // "--cluster", "demo", …
}

// again are the words that name this target in a next command.
func (t *reachFlags) again() Words {
	words := []string{"--cluster", t.cluster}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, flag, value)
		}
	}
	add("--namespace", t.namespace, defaultNamespace)
	add("--kubeconfig", t.kubeconfig, "")
	add("--context", t.kubeContext, "")
	add("--downstream-kubeconfig", t.downstreamKubeconfig, "")
	return Words{Command: "rke2", Args: words}
}

// Run is the command that takes up what these words are about.
func (t Words) Run() string {
	if t.Undoing {
		return t.Undo()
	}
	return CommandLine(append([]string{t.Command}, t.Args...))
}

// Undo is the command that goes back.
func (t Words) Undo() string {
	return CommandLine(append([]string{t.Command, "undo"}, t.Args...))
}

// Status is the command that looks.
func (t Words) Status() string {
	return CommandLine(append([]string{t.Command, "status"}, t.Args...))
}

// Upgrade is the command that upgrades Kubernetes after the migration, to a version that
// is still to be named.
func (t Words) Upgrade() string { return t.Run() + " --kubernetes-version VERSION" }

// CommandLine is a command that a shell takes as it was meant.
func CommandLine(args []string) string {
	return fault.Command(append([]string{"awsmigrate"}, args...)...)
}

// Plan is the command that shows what a run would do.
func (t Words) Plan() string {
	return CommandLine(append([]string{t.Command, "plan"}, t.Args...))
}
