package app

import (
	"errors"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// App holds the state that all commands share: streams, signals and the typed words.
type App struct {
	Streams    console.Streams
	stdout     *output
	Signals    *Signals
	Interrupts <-chan struct{}
	Unwatched  *Unwatched // nil if a hang-up ends the command
	Args       []string
	Typed      target.Program // before args
	Output     string         // -o, the same flag on every command that reports
}

// New returns the state of a process that checks its standard output.
func New(streams console.Streams, signals *Signals, args []string, typed target.Program) *App {
	stdout := &output{to: streams.Out}
	streams.Out, streams.Program = stdout, typed.Line()
	return &App{Streams: streams, stdout: stdout, Signals: signals, Interrupts: signals.interrupts, Args: args, Typed: typed}
}

// End shows output that no view has shown yet, and returns the exit code.
func (a *App) End(err error) int {
	if err != nil && !view.IsShown(err) && a.stdout.lost() == nil {
		view.WriteError(a.Streams, a.Output, err)
	}
	if lost := a.stdout.lost(); lost != nil { // a document with the error would be lost too
		err = errors.Join(err, lost)
		view.WriteError(a.Streams, "text", err)
	}
	if a.Unwatched != nil {
		a.Unwatched.log.close()
	}
	return view.ExitCode(err)
}

// CommandLine returns the typed command, for the journal and the resume line.
func (a *App) CommandLine() string { return a.Typed.Line(a.Args...) }

// Say prints a line for people, outside the command's output.
func (a *App) Say(line string) { console.Say(a.Streams, line) }

// Opening returns the output of a target's programs, and this program's name.
func (a *App) Opening() target.Output {
	return target.Output{Err: a.Streams.Err, Program: a.Typed}
}

// CheckOutput returns an error for an unknown -o before anything is read or written.
func (a *App) CheckOutput(allowed ...string) error {
	for _, format := range allowed {
		if a.Output == format {
			return nil
		}
	}
	return &fault.Error{Class: fault.Usage, Reason: "UnknownOutput", Object: "flag --output",
		Seen: "\"" + a.Output + "\"", Wanted: "one of " + strings.Join(allowed, ", "), Fix: fault.DidYouMean(a.Output, allowed)}
}
