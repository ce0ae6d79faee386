package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// engineFlags holds the flags that control one run.
type engineFlags struct {
	Yes       bool          `flag:"yes"`
	DryRun    bool          `flag:"dry-run"`
	Confirm   string        `flag:"confirm"`
	Until     string        `flag:"until"`
	Step      string        `flag:"step"`
	Timeout   time.Duration `flag:"timeout"`
	Deadline  time.Duration `flag:"deadline"`
	OnFailure string        `flag:"on-failure"`
	Plan      string        `flag:"plan"`
	Progress  string        `flag:"progress"`
	Verbose   bool          `flag:"verbose"`
	Record    string        `flag:"record"`
	Report    string        `flag:"report"`
	Notify    string        `flag:"notify-exec"`

	typed     []target.Option      // for the command that carries out a dry run's plan
	recording *recording.Recording // of this run, and of the undo that follows it
	undo      bool                 // the run is an undo
	answered  bool                 // an earlier answer covers this run
	ask       bool                 // ask which tool makes the edits
}

// informs reports whether the user named an owner that already has the edits.
func (e *engineFlags) informs() bool {
	return slices.ContainsFunc(e.typed, func(o target.Option) bool { return o.Flag == "owner-informed" })
}

// register adds the flags. An undo lacks those without a meaning for it.
func (e *engineFlags) register(flags *pflag.FlagSet) {
	if e.undo {
		target.Define(flags, options.Undo, e)
		return
	}
	target.Define(flags, options.Run, e)
}

// steps returns the steps of the run.
func (e *engineFlags) steps() []runner.Info {
	if e.undo {
		return procedure.UndoOrder()
	}
	return procedure.StepInfos()
}

// asked returns the steps of a plan that the run covers. Steps after the last one need no
// approval and no cost yet. With --step the previous steps are shown unchanged.
func (e *engineFlags) asked(steps []runner.PlannedStep) []runner.PlannedStep {
	last := cmp.Or(e.Until, e.Step)
	at := slices.IndexFunc(steps, func(s runner.PlannedStep) bool { return string(s.ID) == last })
	if at < 0 {
		return steps
	}
	return steps[:at+1]
}

// checkSteps returns an error for an unknown step, before anything is read.
func (e *engineFlags) checkSteps() error {
	var known []string
	for _, info := range e.steps() {
		known = append(known, string(info.ID))
	}
	for _, flag := range []struct{ name, step string }{{"--until", e.Until}, {"--step", e.Step}} {
		if flag.step != "" && !slices.Contains(known, flag.step) {
			return &fault.Error{Class: fault.Usage, Reason: "UnknownStep", Object: "flag " + flag.name, Seen: "\"" + flag.step + "\" is no step",
				Wanted: "one of " + strings.Join(known, ", "), Fix: fault.DidYouMean(flag.step, known)}
		}
	}
	return nil
}

// check returns an error if flags contradict one another, or no step is selected.
func (e *engineFlags) check() error {
	switch {
	case e.DryRun && (e.Record != "" || e.Report != ""):
		return fault.AsUsage(errors.New("flags --record and --report: of a dry run nothing is kept"))
	case e.Step != "" && e.Until != "":
		return fault.AsUsage(errors.New("flags --step and --until: wanted one of them"))
	}
	return e.checkSteps()
}

// displayFlags returns the flags that only affect the display of a plan.
func displayFlags() []string { return []string{"dry-run", "output"} }

// typedOptions returns the typed flags of a command that carries out what its dry run shows.
func typedOptions(cmd *cobra.Command) []target.Option {
	return slices.DeleteFunc(target.Typed(cmd.Flags()), func(o target.Option) bool { return slices.Contains(displayFlags(), o.Flag) })
}
