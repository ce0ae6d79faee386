package runner

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// About is an estimated duration in seconds, or 0 if it is unknown.
type About int

// Minute is the usual unit of estimates.
const Minute About = 60

// String returns the form in which estimates are shown: "1s", "~10s", "~6m", or "" if unknown. A
// few seconds are shown without "~".
func (a About) String() string {
	const few = 10
	switch {
	case a <= 0:
		return ""
	case a < few:
		return fmt.Sprintf("%ds", int(a))
	case a < Minute:
		return fmt.Sprintf("~%ds", int(a))
	}
	return fmt.Sprintf("~%dm", int((a+Minute-1)/Minute))
}

// Pauses estimates how often, and for how many seconds each, no process holds the leader's role.
// It happens between Least and Most times. The zero value means never.
type Pauses struct {
	Least     int   `json:"least"`
	Most      int   `json:"most"`
	EachLeast About `json:"eachLeastSeconds"`
	EachMost  About `json:"eachMostSeconds"`
}

// plus returns the sum of the pauses of two steps.
func (p Pauses) plus(q Pauses) Pauses {
	switch {
	case p.Most == 0:
		return q
	case q.Most == 0:
		return p
	}
	return Pauses{Least: p.Least + q.Least, Most: p.Most + q.Most, EachLeast: min(p.EachLeast, q.EachLeast), EachMost: max(p.EachMost, q.EachMost)}
}

// Cost sums up the pending steps of a plan.
type Cost struct {
	Steps    int    `json:"steps"`        // steps that change something
	Restarts int    `json:"restarts"`     // machines that restart a component, counted per step
	Seconds  About  `json:"seconds"`      // known estimates, including steps that only read
	Untimed  int    `json:"untimedSteps"` // pending steps without an estimate
	Pauses   Pauses `json:"pauses"`
	// Irreversible lists the pending steps that cannot be undone.
	Irreversible []journal.StepID `json:"irreversible,omitempty"`
}

// CostOf sums up the pending steps. It returns zero if none of them writes, because then there is
// no run.
func CostOf(steps []PlannedStep) Cost {
	var cost Cost
	for _, step := range steps {
		if step.State.Kind.runs() {
			cost.Seconds += step.Takes
		}
		if !step.State.Kind.writes() {
			continue
		}
		cost.Steps++
		cost.Restarts += step.Rolls
		cost.Pauses = cost.Pauses.plus(step.Pauses)
		if step.Takes == 0 {
			cost.Untimed++
		}
		if step.Irreversible != "" {
			cost.Irreversible = append(cost.Irreversible, step.ID)
		}
	}
	if cost.Steps == 0 {
		return Cost{}
	}
	return cost
}
