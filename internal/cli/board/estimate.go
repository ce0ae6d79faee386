package board

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// estimateRun returns the approximate time until the run ends: the rest of the current step, and
// the planned times of the later ones, corrected by how long the machines of this run took
// compared with the plan. It returns false until a machine was measured, and if a step that
// changes something has no planned time.
func (r renderer) estimateRun() (time.Duration, bool) {
	ratio, measured := r.pace.ratio(r.planned)
	if !measured || len(r.ahead) == 0 || r.ahead[0].Step != r.step {
		return 0, false
	}
	rest, known := r.rest()
	if !known {
		rest, known = plannedTime(r.ahead[0], ratio)
		rest = max(rest-r.now.Sub(r.stepBegan), 0)
	}
	for _, step := range r.ahead[1:] {
		takes, planned := plannedTime(step, ratio)
		rest, known = rest+takes, known && planned
	}
	return rest, known && rest >= minEstimate
}

// minEstimate is the shortest rest of a run that is shown.
const minEstimate = 10 * time.Second

// plannedTime returns the planned time of a step; ratio corrects that of a rollout.
func plannedTime(step runner.StepCost, ratio float64) (time.Duration, bool) {
	takes := time.Duration(step.Takes) * time.Second
	if step.Rolls > 0 {
		takes = time.Duration(float64(takes) * ratio)
	}
	return takes, takes > 0
}

// ratio returns how long the measured machines took compared with the plan, or false if no machine
// of a planned rollout was measured.
func (p pace) ratio(planned map[journal.StepID]runner.StepCost) (float64, bool) {
	var took, expected time.Duration
	for k, all := range p.took {
		cost := planned[k.step]
		if cost.Rolls == 0 {
			continue
		}
		for _, one := range all {
			took += one
			expected += time.Duration(cost.Takes) * time.Second / time.Duration(cost.Rolls)
		}
	}
	if expected == 0 {
		return 0, false
	}
	return float64(took) / float64(expected), true
}
