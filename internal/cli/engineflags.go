package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// engineFlags steer one run of the engine.
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

	typed     []typedFlag          // for the command that carries out what a dry run shows
	recording *recording.Recording // of this run, and of the undo that follows it
	undo      bool                 // the run goes back
	answered  bool                 // a question was answered before, for this run as well
	ask       bool                 // who makes the edits
}

// register adds the flags: some of them mean nothing to an undo.
func (e *engineFlags) register(flags *pflag.FlagSet) {
	if e.undo {
		target.Define(flags, options.Undo, e)
		return
	}
	target.Define(flags, options.Run, e)
}

// steps are those that there are for the run.
func (e *engineFlags) steps() []runner.Info {
	if e.undo {
		return procedure.UndoOrder()
	}
	return procedure.StepInfos()
}

// asked are the steps of a plan that the run is for: what lies behind the last one is not
// approved, and costs nothing yet. With --step the ones before it are shown as they are.
func (e *engineFlags) asked(steps []runner.PlannedStep) []runner.PlannedStep {
	last := cmp.Or(e.Until, e.Step)
	at := slices.IndexFunc(steps, func(s runner.PlannedStep) bool { return string(s.ID) == last })
	if at < 0 {
		return steps
	}
	return steps[:at+1]
}

// checkSteps refuses a step that there is not before anything is read.
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

// check returns an error if flags contradict one another, or name no step.
func (e *engineFlags) check() error {
	switch {
	case e.DryRun && (e.Record != "" || e.Report != ""):
		return fault.AsUsage(errors.New("flags --record and --report: of a dry run nothing is kept"))
	case e.Step != "" && e.Until != "":
		return fault.AsUsage(errors.New("flags --step and --until: wanted one of them"))
	}
	return e.checkSteps()
}
