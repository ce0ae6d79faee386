package target

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Words are the words of a command line that name the target again.
type Words struct {
	Program Program  // nil: awsmigrate
	Command string   // "rke2"
	Undoing bool     // it is an undo that these words are about
	Args    []string // "--cluster", "demo", …
}

// Run is the command that takes up what these words are about.
func (t Words) Run() string {
	if t.Undoing {
		return t.Undo()
	}
	return t.line()
}

// Undo is the command that goes back.
func (t Words) Undo() string {
	return t.line("undo")
}

// Status is the command that looks.
func (t Words) Status() string {
	return t.line("status")
}

// Report is the command that tells of one run.
func (t Words) Report(run string) string {
	return t.Program.Line(slices.Concat([]string{"report"}, t.Args, []string{"--run", run})...)
}

// Upgrade is the command that upgrades Kubernetes after the migration, to a version that
// is still to be named.
func (t Words) Upgrade() string { return t.Run() + " --kubernetes-version VERSION" }

func (t Words) line(more ...string) string {
	return t.Program.Line(slices.Concat([]string{t.Command}, more, t.Args)...)
}

// Program is what people type to start this program, as words; nil: awsmigrate.
type Program []string

// Line is a command that a shell takes as it was meant.
func (p Program) Line(args ...string) string {
	if len(p) == 0 {
		p = Program{"awsmigrate"}
	}
	return fault.Command(slices.Concat(p, args)...)
}

// by are the words for somebody who starts the program so.
func (t Words) by(p Program) Words {
	t.Program = p
	return t
}

// Plan is the command that shows what a run would do.
func (t Words) Plan() string {
	return t.line("plan")
}
