package target

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Words holds the words of a command line that name the target again.
type Words struct {
	Program Program  // nil for awsmigrate
	Command string   // "rke2"
	Undoing bool     // the words name an undo
	Args    []string // "--cluster", "demo", …
}

// Run returns the command that resumes the run or undo.
func (t Words) Run() string {
	if t.Undoing {
		return t.Undo()
	}
	return t.line()
}

// Undo returns the command that undoes the migration.
func (t Words) Undo() string {
	return t.line("undo")
}

// Status returns the command that shows the status.
func (t Words) Status() string {
	return t.line("status")
}

// Report returns the command that reports on one run.
func (t Words) Report(run string) string {
	return t.Program.Line(slices.Concat([]string{"report"}, t.Args, []string{"--run", run})...)
}

// Upgrade returns the command that upgrades Kubernetes after the migration, with a placeholder
// for the version.
func (t Words) Upgrade() string { return t.Run() + " --kubernetes-version VERSION" }

func (t Words) line(more ...string) string {
	return t.Program.Line(slices.Concat([]string{t.Command}, more, t.Args)...)
}

// Program holds the words that start this program, or is nil for awsmigrate.
type Program []string

// Line returns a command line, quoted for a shell.
func (p Program) Line(args ...string) string {
	if len(p) == 0 {
		p = Program{"awsmigrate"}
	}
	return fault.Command(slices.Concat(p, args)...)
}

// by returns the words for a user who starts the program with p.
func (t Words) by(p Program) Words {
	t.Program = p
	return t
}

// Plan returns the command that shows the plan of a run.
func (t Words) Plan() string {
	return t.line("plan")
}
