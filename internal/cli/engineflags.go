package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// engineFlags steer one run of the engine.
type engineFlags struct {
	yes, dryRun bool
	confirm     string
	until, step string
	timeout     time.Duration
	deadline    time.Duration
	onFailure   string
	plan        string
	progress    string
	verbose     bool
	typed       []typedFlag // for the command that carries out what a dry run shows
	record      string
	report      string
	notify      string
	recording   *recording.Recording // of this run, and of the undo that follows it
	undo        bool                 // the run goes back
	answered    bool                 // a question was answered before, for this run as well
	ask         bool                 // who makes the edits
}

func (e *engineFlags) register(flags *pflag.FlagSet) {
	flags.BoolVarP(&e.yes, "yes", "y", false, "do not ask before the first write")
	flags.StringVar(&e.plan, "plan", "", "`FILE` that plan -o json printed: apply exactly that, or what is left of it, without asking")
	flags.BoolVar(&e.dryRun, "dry-run", false, "show what a run would do and write nothing")
	flags.StringVar(&e.until, "until", "", "stop after this step")
	flags.StringVar(&e.step, "step", "", "run this step only; it must be the first that is still to do")
	flags.DurationVar(&e.timeout, "timeout", 15*time.Minute, "longest time without progress")
	flags.StringVar(&e.progress, "progress", "", "board|plain|none: what a run shows while it works (default: board where standard error is a terminal, TERM is not dumb and CI is not set, else plain)")
	flags.BoolVarP(&e.verbose, "verbose", "v", false, "with a board: all output of rke above it, and not its last line alone")
	flags.StringVar(&e.record, "record", "", "keep what is seen of the cloud controllers meanwhile, and the steps, in this new file, for report")
	flags.StringVar(&e.report, "report", "", "write the report of the run to this new file at its end: .html or .md")
	flags.StringVar(&e.notify, "notify-exec", "", "`COMMAND` of a shell, to run when the run asks whether to begin and when it has ended; AWSMIGRATE_NOTICE says which: question or end")
	flags.DurationVar(&e.deadline, "deadline", 0, "longest time for the whole run (default: none)")
}

// registerForward adds those that mean nothing to an undo.
func (e *engineFlags) registerForward(flags *pflag.FlagSet) {
	flags.StringVar(&e.confirm, "confirm", "", "the cluster's name, to pass irreversible gates")
	flags.StringVar(&e.onFailure, "on-failure", "stop", "stop|undo: leave the cluster where it is and say how to go on, or go back to where it began")
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
	last := cmp.Or(e.until, e.step)
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
	for _, flag := range []struct{ name, step string }{{"--until", e.until}, {"--step", e.step}} {
		if flag.step != "" && !slices.Contains(known, flag.step) {
			return &fault.Error{Class: fault.Usage, Reason: "UnknownStep", Object: "flag " + flag.name, Seen: "\"" + flag.step + "\" is no step",
				Wanted: "one of " + strings.Join(known, ", "), Fix: fault.DidYouMean(flag.step, known)}
		}
	}
	return nil
}

// check refuses durations that would silently become the defaults, or none.
func (e *engineFlags) check() error {
	switch {
	case e.timeout <= 0:
		return fault.AsUsage(fmt.Errorf("flag --timeout: %s, wanted more than 0", e.timeout))
	case e.deadline < 0:
		return fault.AsUsage(fmt.Errorf("flag --deadline: %s, wanted more than 0, or 0 for none", e.deadline))
	case e.progress != "" && !slices.Contains([]runview.Progress{runview.ProgressBoard, runview.ProgressPlain, runview.ProgressNone}, runview.Progress(e.progress)):
		return fault.AsUsage(fmt.Errorf("flag --progress: %q, wanted board, plain or none", e.progress))
	case e.onFailure != "stop" && e.onFailure != "undo":
		return fault.AsUsage(fmt.Errorf("flag --on-failure: %q, wanted stop or undo", e.onFailure))
	case e.dryRun && (e.record != "" || e.report != ""):
		return fault.AsUsage(errors.New("flags --record and --report: of a dry run nothing is kept"))
	case e.step != "" && e.until != "":
		return fault.AsUsage(errors.New("flags --step and --until: wanted one of them"))
	}
	return e.checkSteps()
}
