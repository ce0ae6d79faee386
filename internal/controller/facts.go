package controller

import (
	"fmt"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// facts returns the facts about a cluster that was read for m. The caller holds k.mu.
func (c *Controller) facts(k *cluster, m *v1alpha1.ClusterMigration) fleet.Facts {
	l, now := k.look, c.o.Clock.Now()
	f := fleet.Facts{Now: now, AuditsOnly: c.o.AuditsOnly, Outdated: c.outdated.Load(), Gone: l.gone, Full: c.pool.full() || c.o.tight(inUse())}
	if k.wait.locks && now.Before(k.wait.until) {
		f.Locked = k.wait.why
	} else {
		f.NotBefore, f.Passing = k.wait.until, k.wait.why
	}
	if l.gone {
		return f
	}
	state := l.seen.Journal
	f.Reached = l.reached()
	if last := k.audits.last; last != nil && (!f.Reached || k.audits.current(l)) {
		f.Audited, f.Failing = true, last.failing()
	} else if err := k.audits.err; err != nil {
		f.Unaudited = "the audit could not be made: " + fault.Headline(err)
	}
	f.Reverted, f.Rolling = reverted(l.seen), l.seen.UnderWay != ""
	f.PausedRollout, f.Refused = pauseCause(l.seen), refusalOf(l)
	f.Crashed, f.Failed = died(state, attempt(m), now), failureText(k, m)
	if k.awaits.err != nil && k.awaits.attempt == attempt(m) {
		f.Awaited = awaitedText(k.awaits.err, l)
	}
	if k.withdrew != nil {
		f.Withdrawn = fault.Headline(k.withdrew)
	}
	f.Plan, f.RancherMoves = planOf(l, m), l.moves
	hold := c.holdOf(k.key.Namespace, m, now)
	f.Held, f.HeldUntil = hold.Why, hold.Again
	return f
}

// pauseCause describes why a cluster is paused since a run saw harm, or returns "". If the
// journal cannot be read, any pause counts, because a pause by awsmigrate cannot be distinguished
// from another one.
func pauseCause(seen session.Assessment) string {
	pause := seen.Journal.Pause
	switch {
	case seen.Paused == "":
		return ""
	case pause != nil:
		return fmt.Sprintf("rollout paused in step %s: %s; %s", pause.Step, pause.Done, seen.Paused)
	case seen.Unread != nil:
		return seen.Paused + "; " + fault.Headline(seen.Unread)
	}
	return ""
}

// refusalOf says why no run is possible for an object and what to change, or returns "".
func refusalOf(l *look) string {
	refusal, is := fault.As(l.refused)
	if !is || refusal.Class != fault.Usage {
		return ""
	}
	return fault.Headline(l.refused) + "; fix: " + refusal.Fix
}

// reverted reports whether a foreign writer undid a migration. The same configuration is no
// revert if awsmigrate has done nothing, or has undone everything; then the audit reports it.
func reverted(seen session.Assessment) bool {
	return seen.Harm != nil && seen.UnderWay == "" && len(seen.Journal.Intents) > 0 && !procedure.LastUndid(seen.Journal.Record())
}

// attempt identifies a request for a run. While it is unchanged, a failed run is not repeated.
func attempt(m *v1alpha1.ClusterMigration) string {
	id := identityOf(m)
	return fmt.Sprintf("%s/%d/%s", id.uid, id.generation, id.retry)
}

// failureText returns the error that ended the last run for this object, or "". The journal has it, or
// this process if the run ended before its first commit. An object without a valid plan also
// counts as failed.
func failureText(k *cluster, m *v1alpha1.ClusterMigration) string {
	if k.failed.err != nil && k.failed.attempt == attempt(m) {
		return fault.Headline(k.failed.err)
	}
	if k.look.refused != nil {
		return fault.Headline(k.look.refused)
	}
	if k.look.seen.Unplaced != nil {
		return fault.Headline(k.look.seen.Unplaced)
	}
	if last := lastRun(k.look.seen.Journal); last != nil && last.Outcome == "stopped" && last.Reason != migration.ReasonAwaitingOwner && last.Attempt == attempt(m) {
		return fmt.Sprintf("the last run stopped at step %s: %s", last.Step, last.Reason)
	}
	return ""
}

// lastRun returns the last run with a goal, or nil.
func lastRun(state journal.State) *journal.Run {
	for _, run := range slices.Backward(state.Runs) {
		if !run.Guard {
			return &run
		}
	}
	return nil
}

const (
	crashes     = 3
	crashedSoon = time.Hour
)

// died reports whether the last runs for this object all died within an hour.
func died(state journal.State, attempt string, now time.Time) bool {
	dead := 0
	for _, run := range slices.Backward(state.Runs) {
		began, err := time.Parse(time.RFC3339, run.Start)
		if err != nil || now.Sub(began) > crashedSoon || run.Attempt != attempt || run.End != "" {
			break
		}
		if dead++; dead == crashes {
			return true
		}
	}
	return false
}

// planOf returns the parts of the plan that a decision needs.
func planOf(l *look, m *v1alpha1.ClusterMigration) fleet.Plan {
	p := fleet.Plan{Hash: l.plan.Hash, TooLarge: l.plan.TooLarge, Altered: l.plan.Altered, Restored: l.seen.Plan.Basis.Restored}
	if m == nil {
		return p
	}
	next := nextStep(l.seen.Plan.Steps)
	p.AtUntil = atUntil(l.seen.Plan.Steps, m.Spec.Until)
	block := fleet.BlockOf(fleet.Blocks(m.Spec.Goal.OrDefault(), m.Spec.Edits), v1alpha1.Step(next))
	for _, step := range l.seen.Plan.Steps {
		if slices.Contains(block, v1alpha1.Step(step.ID)) && writes(step) {
			p.Next += fleet.Takes(step.Rolls)
		}
	}
	p.Begun = slices.ContainsFunc(l.seen.Journal.Intents, func(in journal.Intent) bool {
		return in.Epoch == l.seen.Plan.Basis.Epoch && slices.Contains(block, v1alpha1.Step(in.Step))
	})
	return p
}

func writes(step runner.PlannedStep) bool {
	return step.State.Kind == runner.Todo || step.State.Kind == runner.InProgress
}

// nextStep returns the first pending step, or "".
func nextStep(steps []runner.PlannedStep) journal.StepID {
	for _, step := range steps {
		if writes(step) {
			return step.ID
		}
	}
	return ""
}

// atUntil reports whether the step of spec.until was run. A step that is not in the plan belongs
// to the other direction and is ignored.
func atUntil(steps []runner.PlannedStep, until v1alpha1.Step) bool {
	for _, step := range steps {
		if writes(step) {
			return false
		}
		if step.ID == journal.StepID(until) {
			return nextStep(steps) != ""
		}
	}
	return false
}
