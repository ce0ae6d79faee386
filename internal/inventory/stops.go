package inventory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Reasons of stops that do not come from a fault.
const (
	reasonDeleting      = "Deleting"
	ReasonLocked        = "LockHeld"
	ReasonPausedByRun   = "PausedByRun"
	reasonPaused        = "Paused"
	reasonLeftOpen      = "LeftOpen"
	reasonRolloutPaused = "BrakePulled"
)

// findStops returns what prevents a run, most severe first. While a run holds the lock, its
// unfinished step is not an obstacle.
func findStops(f Facts) []Stop {
	var all []Stop
	if f.Deleting {
		all = append(all, Stop{Reason: reasonDeleting, Seen: "being deleted"})
	}
	for _, err := range f.Errs {
		all = append(all, StopsOf(err)...)
	}
	for _, open := range f.Paused {
		all = append(all, pausedStop(f, open))
	}
	switch {
	case f.Held != nil:
		all = append(all, heldStop(*f.Held, f.account(), f.Now))
	case f.Journal != nil:
		all = append(all, unfinishedStops(f)...)
	}
	return all
}

// undoFix offers an undo, except during an undo.
func undoFix(f Facts) string {
	if f.Seen != nil && f.Seen.Undoing {
		return ""
	}
	return ", undo rolls back"
}

// pausedStop returns the stop of a pause.
func pausedStop(f Facts, open migration.PendingCondition) Stop {
	switch {
	case open.OurPause && f.Journal != nil && f.Journal.Record().RequestedPause != "":
		return Stop{Reason: ReasonPausedByRun, Seen: open.Seen, Fix: "the same command ends the pause and continues" + undoFix(f)}
	case open.OurPause:
		return Stop{Reason: ReasonPausedByRun, Seen: open.Seen, Fix: "docs/going-back.md"}
	}
	return Stop{Reason: reasonPaused, Seen: open.Seen}
}

// heldStop returns the stop of a held lock, with the step of its run. Clocks may differ, so it only
// shows the time of renewal and does not decide whether the owner lives. by may be nil.
func heldStop(h lock.Held, by *runner.Account, now time.Time) Stop {
	who := fmt.Sprintf("%q", h.Identity)
	if h.Owner.Run != "" {
		who = fmt.Sprintf("%s@%s, run %s", h.Owner.User, h.Owner.Host, h.Owner.Run)
	}
	stop := Stop{Reason: ReasonLocked, Seen: "lock held by " + who}
	if step := by.StepOrNone(); step != "" {
		stop.Seen += ", in " + step
	}
	if by != nil && by.Life == runner.LifeDead {
		stop.Seen, stop.Fix = stop.Seen+"; its process has ended", "the next run takes the lock over at once"
		return stop
	}
	if h.For > 0 && now.Sub(h.Renewed) > h.For {
		stop.Seen += fmt.Sprintf(", not renewed since %s", h.Renewed.UTC().Format(time.RFC3339))
		stop.Fix = "if that run is dead, the next one takes the lock over"
	}
	return stop
}

// unfinishedStops returns the stops of an unfinished run in the journal.
func unfinishedStops(f Facts) []Stop {
	var all []Stop
	if pause := f.Journal.Pause; pause != nil && len(f.Paused) == 0 {
		all = append(all, Stop{Reason: reasonRolloutPaused, Seen: fmt.Sprintf("rollout paused in %s by run %s", pause.Step, pause.Run), Fix: "docs/going-back.md"})
	}
	record := f.Journal.Record()
	if !record.LeftOpen {
		return all
	}
	last := record.Intents[len(record.Intents)-1]
	by := "run " + last.Run
	for _, run := range f.Journal.Runs {
		if run.ID == last.Run && run.Who != "" {
			by += " of " + run.Who
		}
	}
	return append(all, Stop{Reason: reasonLeftOpen, Seen: fmt.Sprintf("%s left %s open", by, last.Step), Fix: "the same command continues" + undoFix(f)})
}

// StopsOf returns err, and each error that it joins, as stops.
func StopsOf(err error) []Stop {
	joined, is := err.(interface{ Unwrap() []error })
	if !is {
		return []Stop{stopOf(err)}
	}
	var all []Stop
	for _, inner := range joined.Unwrap() {
		all = append(all, StopsOf(inner)...)
	}
	return all
}

// stopOf returns one error as a stop. An error of class Check was observed.
func stopOf(err error) Stop {
	stop := Stop{Seen: err.Error(), CouldNotLook: fault.ClassOf(err) != fault.Check}
	f, ok := fault.As(err)
	if !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			stop.Seen = "no answer in time"
		}
		return stop
	}
	stop.Reason, stop.Object, stop.Seen, stop.Fix = f.Reason, f.Object, f.Seen, f.Fix
	if f.Err != nil {
		stop.Seen += ": " + f.Err.Error()
	}
	return stop
}
