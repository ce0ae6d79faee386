package report

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// RunText is a run of awsmigrate in a line.
func RunText(r judge.Run) string {
	return fmt.Sprintf("run %s: %s, %s, %s", r.ID, r.Command, positions(r), runOutcome(r))
}

// positions are where the cluster was before a run and after it.
func positions(r judge.Run) string {
	before, after := orDash(r.Before), orDash(r.After)
	if before == after {
		return "at " + before
	}
	return before + " → " + after
}

func runOutcome(r judge.Run) string {
	switch {
	case r.Until.IsZero() && r.Error != "":
		return r.Error
	case r.Until.IsZero():
		return "its end is not known"
	case r.Error != "":
		return "ended before its goal: " + r.Error
	}
	return "finished"
}

// StepText is a step in a line.
func StepText(s judge.Step) string {
	text := fmt.Sprintf("%s: %s, %s", s.ID, stepTime(s), stepOutcome(s))
	if s.Message != "" {
		text += ": " + s.Message
	}
	return text
}

func stepTime(s judge.Step) string {
	if s.From.IsZero() {
		return "–"
	}
	if s.Until.IsZero() || !s.Until.After(s.From) {
		return clock(s.From)
	}
	return fmt.Sprintf("%s to %s (%s)", clock(s.From), clock(s.Until), s.Until.Sub(s.From).Round(time.Second/10))
}

func stepOutcome(s judge.Step) string {
	if s.Outcome == "" {
		return "not finished"
	}
	return string(s.Outcome)
}

// approvalText says who approved what.
func approvalText(a judge.Approval) string {
	what := "plan " + orDash(a.Plan)
	if a.Step != "" {
		what = "step " + a.Step
	}
	return fmt.Sprintf("%s, by %s at %s", what, orDash(a.By), clock(a.At))
}
