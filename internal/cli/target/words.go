package target

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// Words holds the words of a command line about one cluster. Every command that a screen shows for
// the cluster is composed from them.
type Words struct {
	Program Program  // nil for awsmigrate
	Command string   // "rke2"
	Undoing bool     // the words name an undo
	Args    []string // name the cluster: "--cluster", "demo", …
	Options []Option // shape the migration or reach its servers
}

// Option holds a typed flag as words of a command line.
type Option struct {
	Flag  string // without dashes
	Words []string
}

// Run returns the command that resumes the run or undo.
func (t Words) Run() string {
	if t.Undoing {
		return t.Undo()
	}
	return t.line(t.Command)
}

// Undo returns the command that undoes the migration.
func (t Words) Undo() string {
	return t.line(t.Command + " undo")
}

// Status returns the command that shows the status.
func (t Words) Status() string {
	return t.line(t.Command + " status")
}

// Plan returns the command that shows the plan of a run.
func (t Words) Plan() string {
	return t.line(t.Command + " plan")
}

// Report returns the command that reports on one run.
func (t Words) Report(run string) string {
	return t.line("report", "--run", run)
}

// Upgrade returns the command that upgrades Kubernetes after the migration.
func (t Words) Upgrade(version string) string {
	return t.Run() + " " + fault.Command("--kubernetes-version", version)
}

// UpgradePath returns the command that shows every later release, and what stops it.
func (t Words) UpgradePath() string { return t.line("upgrade-path") }

// line composes a command, with the options that it takes.
func (t Words) line(command string, more ...string) string {
	scope := scopeOf(command)
	words := slices.Concat(strings.Fields(command), t.Args)
	for _, o := range t.Options {
		if _, takes := options.Find(o.Flag, scope); takes {
			words = append(words, o.Words...)
		}
	}
	return t.Program.Line(append(words, more...)...)
}

// scopeOf returns the scope of a command's flags.
func scopeOf(command string) options.Scope {
	for _, c := range options.Commands() {
		if c.Name == command {
			return c.Has
		}
	}
	return 0
}

// With returns the words with further options. Flags that the words have already stay as they are.
func (t Words) With(more []Option) Words {
	t.Options = slices.Clone(t.Options)
	for _, o := range more {
		if !t.has(o.Flag) && !t.negates(o.Flag) {
			t.Options = append(t.Options, o)
		}
	}
	return t
}

// without returns the words without an option.
func (t Words) without(flag string) Words {
	t.Options = slices.DeleteFunc(slices.Clone(t.Options), func(o Option) bool { return o.Flag == flag })
	return t
}

// has reports whether the words have a flag.
func (t Words) has(flag string) bool {
	return slices.Contains(t.Args, "--"+flag) || slices.ContainsFunc(t.Options, func(o Option) bool { return o.Flag == flag })
}

// negates reports whether the words have the opposite of a flag.
func (t Words) negates(flag string) bool {
	return slices.ContainsFunc(options.For(^options.Scope(0)), func(o options.Option) bool {
		return o.Negates == flag && t.has(o.Flag) || o.Flag == flag && o.Negates != "" && t.has(o.Negates)
	})
}

// withTyped returns words that name a cluster, with the other typed flags of a scope.
func (t Words) withTyped(flags *pflag.FlagSet, scope options.Scope) Words {
	return t.With(slices.DeleteFunc(Typed(flags), func(o Option) bool {
		_, in := options.Find(o.Flag, scope)
		return !in || slices.Contains(naming(), o.Flag)
	}))
}

// naming returns the flags that Args holds.
func naming() []string {
	return []string{"cluster", "config", "namespace", "kubeconfig", "context", "downstream-kubeconfig"}
}

// Typed returns the flags that were typed, with their values.
func Typed(flags *pflag.FlagSet) []Option {
	var typed []Option
	flags.Visit(func(f *pflag.Flag) { typed = append(typed, typedOption(f)) })
	return typed
}

func typedOption(f *pflag.Flag) Option {
	o := Option{Flag: f.Name}
	values := []string{f.Value.String()}
	if many, ok := f.Value.(pflag.SliceValue); ok {
		values = many.GetSlice()
	}
	for _, value := range values {
		if f.NoOptDefVal != "" && value == f.NoOptDefVal {
			o.Words = append(o.Words, "--"+f.Name)
			continue
		}
		o.Words = append(o.Words, "--"+f.Name+"="+value) // as one word: a value may look like a flag
	}
	return o
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
