package runner

import "github.com/awsmigrate/awsmigrate/pkg/runner/journal"

// StepCost is the part of a step's plan from which views estimate the rest of a run.
type StepCost struct {
	Step  journal.StepID `json:"step"`
	Takes About          `json:"takesSeconds,omitempty"`
	Rolls int            `json:"rolls,omitempty"` // machines that restart a component
}

// ahead returns the costs of a step and of the later steps that the run will run, as planned, or
// nil if one of them is unknown.
func (r *run[S]) ahead(from journal.StepID) []StepCost {
	var costs []StepCost
	begun := false
	for _, info := range r.steps {
		begun = begun || info.ID == from
		if begun && (info.ID == from || r.obs.States[info.ID].Kind.runs()) {
			cost, planned := r.costs[info.ID]
			if !planned {
				return nil
			}
			costs = append(costs, cost)
		}
		if info.ID == r.o.Until || info.ID == r.o.Only {
			break
		}
	}
	return costs
}

// aheadOf returns the costs of a step and of the later steps that an announcement does not show as
// done.
func (a Announcement) aheadOf(from journal.StepID) []StepCost {
	var costs []StepCost
	begun := false
	for _, step := range a.Steps {
		begun = begun || step.ID == from
		if begun && step.State != Done && step.State != Skipped {
			if step.Cost == nil {
				return nil
			}
			costs = append(costs, *step.Cost)
		}
		if step.ID == a.Until {
			break
		}
	}
	return costs
}
