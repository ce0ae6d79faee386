package runner

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// PlanLimits are the limits of a plan's text. An honest one has 20 steps and the edits of some
// hundred lines: less than 1 MB and 2,000 values. One at the limits takes at most 96 MB to
// decode.
func PlanLimits() bounded.Limits { return bounded.Limits{Bytes: 4 << 20, Values: 1 << 16} }

// allows says whether a saved plan lets a run begin, or go on, with what is planned now;
// nil: it does. A step in progress is taken up again whatever comes after it: what is
// rolling has to be watched, and each further step is compared before it begins.
// putBack is a step that somebody has put back.
func (saved WholePlan) allows(now WholePlan, putBack journal.StepID) error {
	if putBack != "" && saved.Basis.Epoch == now.Basis.Epoch-1 {
		return reverted(putBack)
	}
	if err := now.Basis.moved(saved.Basis); err != nil {
		return err
	}
	if begun := inProgress(now.Steps); len(begun) > 0 {
		return asSaved(saved.Steps, begun)
	}
	if saved.Version != now.Version {
		return &fault.Error{Class: fault.Stale, Reason: "PlanOfAnotherVersion", Object: "the saved plan", Seen: "was made by awsmigrate " + saved.Version,
			Wanted: now.Version + ", which is about to apply it", Fix: newPlan}
	}
	return asSaved(saved.Steps, now.Steps)
}

// Allows says whether what would be done now is what the saved plan says, or what is left
// of it; nil: it is. Whoever asks decides only whether to begin: a run asks again.
func (saved WholePlan) Allows(now WholePlan) error { return saved.allows(now, "") }

func inProgress(steps []PlannedStep) []PlannedStep {
	var begun []PlannedStep
	for _, step := range steps {
		if step.State.Kind == InProgress {
			begun = append(begun, step)
		}
	}
	return begun
}

// asSaved says whether what would be written now is what a saved plan says, of which
// a part may be done by now, and if not, what moved.
func asSaved(saved, now []PlannedStep) error {
	byID := map[journal.StepID]PlannedStep{}
	for _, step := range saved {
		byID[step.ID] = step
	}
	then, err := approvedOf(saved)
	if err != nil {
		return err
	}
	present, err := approvedOf(now)
	if err != nil {
		return err
	}
	for _, step := range now {
		if !step.State.Kind.writes() {
			continue
		}
		planned, known := byID[step.ID]
		if !known {
			return planMoved(step.ID, "is not in the saved plan: it was made by another version of awsmigrate, or with other flags")
		}
		// What was done then may still roll now.
		rolls := planned.State.Kind == Done && step.State.Kind == InProgress
		if !planned.State.Kind.writes() && !rolls {
			return planMoved(step.ID, fmt.Sprintf("was %s when the plan was made, and is %s", planned.State.Kind, step.State.Kind))
		}
		if moved := stepMoved(then[step.ID], present[step.ID], step); moved != "" {
			return planMoved(step.ID, moved+" is no longer as it was when the plan was made")
		}
	}
	return nil
}

// stepMoved is the place of the first change of a step that only one of two plans has;
// "": they write the same. Of a step in progress a part is done; of one that was ended
// between two of its writes, such as two cordons, what the journal says it has written.
func stepMoved(then, now []string, step PlannedStep) string {
	if moved := beyond(then, now); moved != "" || step.State.Kind == InProgress {
		return moved
	}
	return beyond(now, slices.DeleteFunc(slices.Clone(then), func(change string) bool { return slices.Contains(step.written, objectOf(change)) }))
}

func planMoved(id journal.StepID, seen string) error {
	return &fault.Error{Class: fault.Stale, Reason: "PlanMoved", Object: "step " + string(id), Seen: seen,
		Wanted: "exactly the saved plan", Fix: newPlan}
}
