package view

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// WriteSum prints the end of a plan: its cost or that nothing is pending, which steps are irreversible, and why a run would stop.
func WriteSum(streams console.Streams, steps []runner.PlannedStep, stops error) {
	s := console.NewScreen(streams, streams.Out)
	cost := runner.CostOf(steps)
	s.Line("")
	switch {
	case cost.Steps > 0:
		writeCost(s, cost)
	case stops == nil:
		s.Line("Nothing to do.")
	}
	if stops != nil {
		s.Prose("", fmt.Sprintf("a run would stop here with exit %d, before its first write", ExitCode(stops)))
	}
}

func writeCost(s console.Screen, cost runner.Cost) {
	s.Prose("in all: ", stepsText(cost))
	if text := pausesText(cost.Pauses); text != "" {
		s.Hang(text)
	}
	if len(cost.Irreversible) > 0 {
		s.Prose("cannot be undone: ", joinIDs(cost.Irreversible))
		return
	}
	s.Prose("", "no step is irreversible; the way back from each is in "+GoingBack)
}

// stepsText describes the number of pending steps and their duration.
func stepsText(cost runner.Cost) string {
	parts := []string{fault.Count(cost.Steps, "step") + " to do"}
	if cost.Restarts > 0 {
		parts = append(parts, fault.Count(cost.Restarts, "restart")+" on machines")
	}
	if cost.Seconds > 0 {
		parts = append(parts, "about "+aboutText(cost.Seconds))
	}
	if cost.Untimed > 0 && cost.Seconds > 0 {
		parts = append(parts, fmt.Sprintf("plus %s of unknown duration", fault.Count(cost.Untimed, "step")))
	}
	return strings.Join(parts, ", ")
}

// pausesText describes how often and how long the cloud controllers pause, or returns "" if they do not.
func pausesText(p runner.Pauses) string {
	if p.Most == 0 {
		return ""
	}
	times := fmt.Sprintf("%d to %d times", p.Least, p.Most)
	switch {
	case p.Most == 1:
		times = "once"
	case p.Least == p.Most:
		times = fmt.Sprintf("%d times", p.Most)
	}
	if p.Least == 0 {
		times = "at most " + strings.TrimPrefix(times, "0 to ")
	}
	return fmt.Sprintf("pauses of the cloud controllers: %s %d to %d s, with the usual lease durations", times, p.EachLeast, p.EachMost)
}

// aboutText returns an estimate in seconds below one minute, else in whole minutes.
func aboutText(a runner.About) string {
	const hour = 60 * runner.Minute
	minutes := (a + runner.Minute - 1) / runner.Minute
	switch {
	case a < runner.Minute:
		return fmt.Sprintf("%ds", int(a))
	case a <= 2*hour:
		return fmt.Sprintf("%dm", int(minutes))
	}
	return fmt.Sprintf("%dh%dm", int(minutes/60), int(minutes%60))
}

func joinIDs[T ~string](ids []T) string {
	words := make([]string, 0, len(ids))
	for _, id := range ids {
		words = append(words, string(id))
	}
	return strings.Join(words, ", ")
}

// WriteNext prints the command that carries out a plan. An empty command prints nothing.
func WriteNext(streams console.Streams, command string) {
	if command == "" {
		return
	}
	console.NewScreen(streams, streams.Out).Command("next   ", command)
}
