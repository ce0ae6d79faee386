package runview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// stopped prints why a run stopped, and the way on.
func (v *textView) stopped(result runner.Result, err error) {
	s := console.NewScreen(v.streams, v.streams.Err)
	first, rest := "error: ", "  "
	if v.begun {
		first, rest = "   ", "   "
	}
	faults := view.Flatten(err)
	if result.Resume != "" && !v.braked { // what to do about a brake is more than to go on
		faults = unrepeated(faults)
	}
	view.WriteFaults(s, first, rest, faults)
	if text := leftText(result.Left, fault.ClassOf(err)); text != "" {
		s.Prose("   !  ", text)
	}
	asked := fault.ClassOf(err) == fault.Interrupted // for the brake, if it was pulled: then the same command goes on
	if step := StoppedStep(result); step != "" {
		switch {
		case v.braked && v.commands.ByCommits && asked:
		case v.braked && v.commands.ByCommits: // an undo takes back nothing that somebody else has committed
			s.Line("   on:      %s", view.GoingBack+"#after-the-brake")
		case v.braked && !asked:
			s.Line("   back:    %s", v.commands.Undo)
			s.Line("   on:      %s", view.GoingBack+"#after-the-brake")
		case step == v.commands.NoWayBack && fault.ClassOf(err) != fault.Gate: // there is no way back any more
		case step != result.Steps[0].ID && !v.commands.Undoing: // nothing to go back from, at the first
			s.Line("   back:    %s", v.commands.Undo)
		}
		s.Line("   look:    %s", v.commands.Status)
		for _, command := range explains(s.Program, err, step) {
			s.Line("            %s", command)
		}
	}
	if result.Resume != "" && (!v.braked || asked) {
		s.Line("   on:      %s", result.Resume)
	}
	v.evidence().writeFiles(s, "   ", v.commands)
	s.Line("exit %d", view.ExitCode(err))
}

// unrepeated are the errors of an end without the advice to go on, for which there is a
// line of its own.
func unrepeated(faults []error) []error {
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

// leftText says what becomes of a roll that the run has left; "": nothing is left
// to say.
func leftText(left *runner.Left, why fault.Class) string {
	if left == nil {
		return ""
	}
	of := cmp.Or(left.Of, "machines")
	changed := fmt.Sprintf("%d of %d %s are changed", left.Changed, left.Total, of)
	switch {
	case left.GoesOn && left.Changed == left.Total && left.Total > 0:
		return fmt.Sprintf("all %d %s are changed; %s ends by itself what is left to do, and nobody watches it", left.Total, of, left.By)
	case left.GoesOn && why == fault.Locked:
		return fmt.Sprintf("%s goes on with the rest by itself: %s; this run no longer watches, and brakes nothing. The run that took the lock does, if it lives", left.By, changed)
	case left.GoesOn:
		return fmt.Sprintf("%s goes on with the rest by itself: %s; nobody watches the others, and nobody brakes", left.By, changed)
	case left.CutOff:
		return fmt.Sprintf("%s was interrupted in the middle of its work: the node in hand stays as it is, cordoned perhaps, until the same command runs %s again", left.By, left.By)
	case why == fault.Interrupted && !left.Held:
		return fmt.Sprintf("%s was let finish: nothing goes on by itself", left.By)
	}
	return "" // held by the brake, which has said so
}

// StoppedStep is the step that a run did not finish; "": none.
func StoppedStep(result runner.Result) journal.StepID {
	for _, step := range result.Steps {
		if step.Outcome == runner.Stopped || step.Outcome == runner.Halted {
			return step.ID
		}
	}
	return ""
}

// mostExplained is how many checks the look line names.
const mostExplained = 3

// explains are the commands that explain the checks an error is of, or the step.
func explains(program string, err error, step journal.StepID) []string {
	ids := fault.ChecksOf(err)
	if len(ids) == 0 {
		ids = []string{string(step)}
	}
	var commands []string
	for _, id := range ids[:min(len(ids), mostExplained)] {
		commands = append(commands, program+" explain "+id)
	}
	return commands
}
