package runview

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/cli/board"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// writeStop prints why a run stopped, and how to continue.
func (v *textView) writeStop(result runner.Result, err error) {
	s := console.NewScreen(v.streams, v.streams.Err)
	first, rest := "error: ", "  "
	if v.begun {
		first, rest = "   ", "   "
	}
	faults := view.Flatten(err)
	if result.Resume != "" && !v.paused { // after a pause of the rollout, continuing needs more than the same command
		faults = dropResumeFix(faults)
	}
	view.WriteFaults(s, first, rest, faults)
	if text := leftText(result.Left, fault.ClassOf(err)); text != "" {
		s.Prose("   !  ", text)
	}
	asked := fault.ClassOf(err) == fault.Interrupted // if the user paused the rollout, the same command continues
	if fault.ClassOf(err) == fault.Locked {
		s.Line("   look:    %s --watch", v.commands.Status)
	} else if step := StoppedStep(result); step != "" {
		switch {
		case v.paused && v.commands.ByCommits && asked:
		case v.paused && v.commands.ByCommits: // an undo does not revert commits of another owner
			s.Prose("   next:    ", view.GoingBack+"#after-a-pause")
		case v.paused && !asked:
			if !v.commands.Undoing {
				s.Command("   back:    ", v.commands.Undo)
			}
			s.Prose("   next:    ", view.GoingBack+"#after-a-pause")
		case step == v.commands.NoWayBack && fault.ClassOf(err) != fault.Gate: // no undo is possible after this step
		case step != result.Steps[0].ID && !v.commands.Undoing: // the first step has nothing to undo
			s.Command("   back:    ", v.commands.Undo)
		}
		s.Command("   look:    ", v.commands.Status)
		for _, command := range explainCommands(s.Program, err, step) {
			s.Command("            ", command)
		}
	}
	if result.Resume != "" && (!v.paused || asked) && !lacksInformed(faults) {
		s.Command("   next:    ", result.Resume)
	}
	v.evidence().writeFiles(s, "   ", v.commands)
	s.Line("exit %d", view.ExitCode(err))
}

// lacksInformed reports whether the same command stops again until it names the owner of the configuration.
func lacksInformed(faults []error) bool {
	return slices.ContainsFunc(faults, func(err error) bool {
		return fault.HasReason(err, fault.ReasonOwnerNotInformed)
	})
}

// dropResumeFix removes the fix of interrupts and hang-ups, because a separate line describes how to continue.
func dropResumeFix(faults []error) []error {
	all := slices.Clone(faults)
	for i, one := range all {
		f, ok := fault.As(one)
		if ok && (f.Class == fault.Interrupted || f.Class == fault.HungUp) {
			bare := *f
			bare.Fix = ""
			all[i] = &bare
		}
	}
	return all
}

// leftText describes a rollout that continues after the run, or returns "".
func leftText(left *runner.Left, why fault.Class) string {
	if left == nil {
		return ""
	}
	switch {
	case left.GoesOn && why == fault.Locked:
		return fmt.Sprintf("%s continues: %s. This run can no longer watch or pause it; the run that took the lock can, if it is alive", left.By, board.Changed(*left))
	case left.GoesOn:
		return board.Unwatched(*left)
	case left.CutOff:
		return fmt.Sprintf("%s was interrupted in the middle of its work: the current node stays as it is, possibly cordoned, until the same command runs %s again", left.By, left.By)
	case why == fault.Interrupted && !left.Held:
		return left.By + " has finished: nothing continues without the run"
	}
	return "" // the pause of the rollout has its own message
}

// StoppedStep returns the step that a run did not finish, or "".
func StoppedStep(result runner.Result) journal.StepID {
	for _, step := range result.Steps {
		if step.Outcome == runner.Stopped || step.Outcome == runner.Halted {
			return step.ID
		}
	}
	return ""
}

// maxExplained is the number of checks that the look lines name.
const maxExplained = 3

// explainCommands returns the commands that explain the checks of an error, else the step.
func explainCommands(program string, err error, step journal.StepID) []string {
	ids := fault.ChecksOf(err)
	if len(ids) == 0 {
		ids = []string{string(step)}
	}
	var commands []string
	for _, id := range ids[:min(len(ids), maxExplained)] {
		commands = append(commands, program+" explain "+id)
	}
	return commands
}
