package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// positions returns the cluster's positions before and after a run.
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
		return "its end is unknown"
	case r.Error != "":
		return "ended before its goal: " + r.Error
	}
	return "finished"
}

// stepText returns a step in a line.
func stepText(s judge.Step) string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s, %s: %s", s.ID, stepBegan(s), stepTook(s), s.Message), ": ")
}

func stepBegan(s judge.Step) string {
	if s.From.IsZero() {
		return "–"
	}
	return s.From.UTC().Format(time.TimeOnly)
}

func stepTook(s judge.Step) string {
	if s.From.IsZero() || s.Until.IsZero() || !s.Until.After(s.From) {
		return "–"
	}
	return roughly(s.Until.Sub(s.From))
}

// stepOutcome returns the outcome of a step, or "" if it finished.
func stepOutcome(r judge.Run, s judge.Step) string {
	switch {
	case s.Outcome == record.Finished:
		return ""
	case s.Outcome == record.Failed && r.Stopped:
		return "left"
	}
	return cmp.Or(string(s.Outcome), "not finished")
}

// approvalText returns user and subject of an approval.
func approvalText(a judge.Approval) string {
	what := "plan " + orDash(plaintext.Clip(a.Plan, 23, false))
	if a.Step != "" {
		what = "step " + a.Step
	}
	return fmt.Sprintf("%s, by %s at %s", what, orDash(a.By), clock(a.At))
}
