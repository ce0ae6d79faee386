package cli

import (
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// targetWords are the words of a command line that name the target again.
type targetWords struct {
	command string   // "rke2"
	undoing bool     // it is an undo that these words are about
	words   []string // "--cluster", "demo", …
}

// again are the words that name this target in a next command.
func (t *targetFlags) again() targetWords {
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
	return targetWords{command: "rke2", words: words}
}

// run is the command that takes up what these words are about.
func (t targetWords) run() string {
	if t.undoing {
		return t.undo()
	}
	return commandLine(append([]string{t.command}, t.words...))
}

func (t targetWords) undo() string {
	return commandLine(append([]string{t.command, "undo"}, t.words...))
}

func (t targetWords) status() string {
	return commandLine(append([]string{t.command, "status"}, t.words...))
}

// commands are what to type next about a target.
func commands(t targetWords) view.Commands {
	return view.Commands{Run: t.run(), Undo: t.undo(), Status: t.status(), Undoing: t.undoing, NoWayBack: migration.StepUpgrade}
}

// commandLine is a command that a shell takes as it was meant.
func commandLine(args []string) string {
	return fault.Command(append([]string{"awsmigrate"}, args...)...)
}

func (t targetWords) plan() string {
	return commandLine(append([]string{t.command, "plan"}, t.words...))
}
