package runner

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// About is how many seconds something takes, by experience with its like; 0: nobody knows.
type About int

// Minute is what most estimates are counted in.
const Minute About = 60

// String is the one form in which an estimate is shown: "1s", "~10s", "~6m"; "" where
// there is none. What takes a few seconds takes no longer.
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

// Pauses are how often nobody does for a moment what no two may do at once, between Least
// and Most times, and for how many seconds each time. The zero value: never.
type Pauses struct {
	Least     int   `json:"least"`
	Most      int   `json:"most"`
	EachLeast About `json:"eachLeastSeconds"`
	EachMost  About `json:"eachMostSeconds"`
}

// and are the pauses of two steps.
func (p Pauses) and(q Pauses) Pauses {
	switch {
	case p.Most == 0:
		return q
	case q.Most == 0:
		return p
	}
	return Pauses{Least: p.Least + q.Least, Most: p.Most + q.Most, EachLeast: min(p.EachLeast, q.EachLeast), EachMost: max(p.EachMost, q.EachMost)}
}

// Cost is what the steps of a plan that are to do come to.
type Cost struct {
	Steps    int    `json:"steps"`        // that change something
	Restarts int    `json:"restarts"`     // machines that restart something, counted once for each step
	Seconds  About  `json:"seconds"`      // as far as it is known, with the steps that only read
	Untimed  int    `json:"untimedSteps"` // steps to do of which nobody knows how long they take
	Pauses   Pauses `json:"pauses"`
	// Irreversible are the steps to do that have no way back.
	Irreversible []journal.StepID `json:"irreversible,omitempty"`
}

// CostOf sums up what is to do. What is done costs nothing any more, and where nothing is
// left that changes something there is no run.
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
		cost.Pauses = cost.Pauses.and(step.Pauses)
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
