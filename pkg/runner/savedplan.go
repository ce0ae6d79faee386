package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// asSaved says whether what would be done now is what a saved plan says, of which
// a part may be done by now, and if not, what moved: a step, a change, a summary
// (such as the nodes to cordon) or the machines that restart something.
func asSaved(saved, now []PlannedStep) error {
	byID := map[journal.StepID]PlannedStep{}
	for _, step := range saved {
		byID[step.ID] = step
	}
	for _, step := range now {
		if !step.State.Kind.writes() {
			continue
		}
		then, known := byID[step.ID]
		if !known {
			return planMoved(step.ID, "is not in the saved plan: it was made by another version of awsmigrate, or with other flags")
		}
		// What was done then may still roll now.
		rolls := then.State.Kind == Done && step.State.Kind == InProgress
		if !then.State.Kind.writes() && !rolls {
			return planMoved(step.ID, fmt.Sprintf("was %s when the plan was made, and is %s", then.State.Kind, step.State.Kind))
		}
		if moved, err := changesMoved(then, step); err != nil || moved != "" {
			return orMoved(err, step.ID, moved)
		}
		if step.State.Kind == InProgress || then.Deferred {
			continue // a part of it is done, or could not be told
		}
		if !slices.Equal(then.Summary, step.Summary) {
			return planMoved(step.ID, fmt.Sprintf("would do %q, the plan says %q", strings.Join(step.Summary, "; "), strings.Join(then.Summary, "; ")))
		}
		if then.Rolls != step.Rolls {
			return planMoved(step.ID, fmt.Sprintf("would restart something on %d machines, the plan says %d", step.Rolls, then.Rolls))
		}
	}
	return nil
}

// changesMoved is the first change of now that the saved step does not have.
func changesMoved(saved, now PlannedStep) (string, error) {
	if saved.Deferred {
		return "", nil
	}
	var known []string
	for _, c := range saved.Changes {
		text, err := json.Marshal(c)
		if err != nil {
			return "", fmt.Errorf("compare plans: %w", err)
		}
		known = append(known, string(text))
	}
	for _, c := range now.Changes {
		text, err := json.Marshal(c)
		if err != nil {
			return "", fmt.Errorf("compare plans: %w", err)
		}
		if !slices.Contains(known, string(text)) {
			return strings.TrimSpace(c.Object+" "+c.Location) + " is no longer as it was when the plan was made", nil
		}
	}
	return "", nil
}

func orMoved(err error, id journal.StepID, seen string) error {
	if err != nil {
		return err
	}
	return planMoved(id, seen)
}

func planMoved(id journal.StepID, seen string) error {
	return &fault.Error{Class: fault.Stale, Reason: "PlanMoved", Object: "step " + string(id), Seen: seen,
		Wanted: "exactly the saved plan", Fix: "look at a new plan, save it, and apply that"}
}
