package runner

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// PlanLimits returns the limits of a plan's text. A valid plan has 20 steps and edits of some
// hundred lines: less than 1 MB and 2,000 values. Decoding a plan at the limits takes at most 96
// MB.
func PlanLimits() bounded.Limits { return bounded.Limits{Bytes: 4 << 20, Values: 1 << 16} }

// allows returns an error if a saved plan does not permit the current plan. A step in progress
// always continues: its rollout must be watched, and each further step is compared before it
// begins. reverted is a step whose changes were reverted, or empty.
func (saved WholePlan) allows(now WholePlan, reverted journal.StepID) error {
	if reverted != "" && saved.Basis.Epoch == now.Basis.Epoch-1 {
		return revertedFault(reverted)
	}
	if err := now.Basis.compareSaved(saved.Basis); err != nil {
		return err
	}
	if begun := stepsInProgress(now.Steps); len(begun) > 0 {
		return compareWithSaved(saved.Steps, begun)
	}
	if saved.Version != now.Version {
		return &fault.Error{Class: fault.Stale, Reason: "PlanOfAnotherVersion", Object: "the saved plan", Seen: "was made by awsmigrate " + saved.Version,
			Wanted: now.Version + ", which is about to apply it", Fix: newPlanFix}
	}
	return compareWithSaved(saved.Steps, now.Steps)
}

// Allows returns an error if the current plan is neither the saved plan nor its remaining part.
// It only decides whether to start a run; the run checks again.
func (saved WholePlan) Allows(now WholePlan) error { return saved.allows(now, "") }

func stepsInProgress(steps []PlannedStep) []PlannedStep {
	var begun []PlannedStep
	for _, step := range steps {
		if step.State.Kind == InProgress {
			begun = append(begun, step)
		}
	}
	return begun
}

// compareWithSaved returns an error if the current changes differ from the remaining part of the saved
// plan; it names the difference.
func compareWithSaved(saved, now []PlannedStep) error {
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
			return planMovedFault(step.ID, "is not in the saved plan: it was made by another version of awsmigrate, or with other flags")
		}
		// A step that was done then may roll out again now.
		rolls := planned.State.Kind == Done && step.State.Kind == InProgress
		if !planned.State.Kind.writes() && !rolls {
			return planMovedFault(step.ID, fmt.Sprintf("was %s when the plan was made, and is %s", planned.State.Kind, step.State.Kind))
		}
		if moved := movedPlace(then[step.ID], present[step.ID], step); moved != "" {
			return planMovedFault(step.ID, moved+" is no longer as it was when the plan was made")
		}
	}
	return nil
}

// movedPlace returns the place of the first change that only one of two plans has, or "". Changes
// already made do not count: all changes of a step in progress, or of a Helm release that a killed
// run has begun, and otherwise those with an intent in the journal, such as the first of two
// cordons.
func movedPlace(then, now []string, step PlannedStep) string {
	begun := step.State.Kind == InProgress || slices.Contains(step.written, everyObject)
	if moved := firstUncovered(then, now); moved != "" || begun {
		return moved
	}
	return firstUncovered(now, slices.DeleteFunc(slices.Clone(then), func(change string) bool { return slices.Contains(step.written, objectOf(change)) }))
}

func planMovedFault(id journal.StepID, seen string) error {
	return &fault.Error{Class: fault.Stale, Reason: "PlanMoved", Object: "step " + string(id), Seen: seen,
		Wanted: "exactly the saved plan", Fix: newPlanFix}
}
