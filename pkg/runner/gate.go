package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// approve asks a person to approve the plan. It returns the approved plan, or nil if no approval
// is needed.
func (r *run[S]) approve(ctx context.Context, left *Leftover[S]) (*WholePlan, error) {
	if r.o.Approve == nil && r.o.Saved == nil {
		return nil, nil
	}
	plan, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	if plan.Basis.Restored && r.o.Saved == nil && r.o.Unattended {
		return nil, restoredFault("the current plan was not reviewed")
	}
	if r.o.Saved != nil {
		if err := r.o.Saved.allows(plan, revertedStep(r.s.journal(), r.steps, r.obs)); err != nil {
			return nil, err
		}
	}
	if r.o.Approve == nil {
		return &plan, nil
	}
	err = r.p.Precheck(ctx, r.last, r.obs)
	if err == nil {
		proposal := Proposal{Header: r.p.Header(r.last), Observation: r.obs, WholePlan: plan}
		began := r.o.Clock.Now()
		err = r.askWhileWatching(ctx, left, func() error { return r.o.Approve(ctx, proposal) })
		r.asked = r.o.Clock.Since(began)
	}
	return &plan, declinedFault(err, targetName(r.p.Target()), "the plan was not approved")
}

// plan returns the current plan.
func (r *run[S]) plan(ctx context.Context) (WholePlan, error) {
	steps, err := planSteps(ctx, r.p.Steps(), r.last, r.obs, r.s.journal().Intents)
	return WholePlan{Version: r.o.Version, Basis: r.basis(), Steps: steps}, err
}

// basis returns the basis of the current plan.
func (r *run[S]) basis() Basis { return r.p.Basis(r.last).withEpoch(r.s.journal(), r.steps, r.obs) }

// checkApproved compares the approved plan with the current one, under the lock. It returns an
// error if the changes differ.
func (r *run[S]) checkApproved(ctx context.Context, yes *WholePlan) error {
	if yes == nil {
		return nil
	}
	plan, err := r.plan(ctx)
	if err != nil {
		return err
	}
	r.storeChanges(plan.Steps)
	if r.o.Saved != nil { // it is what was approved, not its part that was left before the lock
		return r.o.Saved.allows(plan, revertedStep(r.s.journal(), r.steps, r.obs))
	}
	then, err := approvedOf(yes.Steps)
	if err != nil {
		return err
	}
	now, err := approvedOf(plan.Steps)
	if err != nil || then.covers(now) && plan.Basis.compareSaved(yes.Basis) == nil {
		return err
	}
	return &fault.Error{
		Class: fault.Stale, Reason: "PlanStale", Object: targetName(r.p.Target()),
		Seen: "the cluster changed after the plan was shown, so that other changes would be made", Wanted: "the plan that was approved",
		Fix: "run the same command again and look at the new plan",
	}
}

// checkSaved compares the next step with the saved plan. Other writers may have changed what the
// step would write since the run began.
func (r *run[S]) checkSaved(ctx context.Context, info Info, state State) error {
	if r.o.Saved == nil || state.Kind != Todo {
		return nil
	}
	now, err := planSteps(ctx, selectSteps(r.p.Steps(), []Info{info}), r.last, r.obs, r.s.journal().Intents)
	if err != nil {
		return err
	}
	r.storeChanges(now)
	return compareWithSaved(r.o.Saved.Steps, now)
}

// storeChanges stores the planned changes of steps for StepStarted events.
func (r *run[S]) storeChanges(plan []PlannedStep) {
	for _, step := range plan {
		r.planned[step.ID] = step.Changes
		r.costs[step.ID] = StepCost{Step: step.ID, Takes: step.Takes, Rolls: step.Rolls}
	}
}

// checkHold calls Hold before a step begins. It never holds a step that is already in progress.
func (r *run[S]) checkHold(ctx context.Context, info Info, state State) error {
	if r.o.Hold == nil || state.Kind != Todo {
		return nil
	}
	if err := r.o.Hold(ctx, info); err != nil {
		return retry.Classify(err, "step "+string(info.ID))
	}
	if r.mustEnd() { // requested during Hold
		return r.interruptedFault("before step " + string(info.ID))
	}
	return nil
}

// gate asks for confirmation of an irreversible step. asked reports whether a person answered
// just now, so that the last observation may be old.
func (r *run[S]) gate(ctx context.Context, info Info, state State) (asked bool, err error) {
	if info.Irreversible == "" || !state.Kind.writes() || r.confirmed[info.ID] {
		return false, nil
	}
	object := "step " + string(info.ID)
	if r.o.Confirm == nil {
		return false, &fault.Error{
			Class: fault.Gate, Reason: "Irreversible", Object: object, Seen: "there is no way back: " + info.Irreversible,
			Wanted: "a confirmation", Fix: "confirm it, then run the same command again",
		}
	}
	if err := declinedFault(r.o.Confirm(ctx, info), object, "it was not confirmed"); err != nil {
		return false, err
	}
	r.confirmed[info.ID] = true
	err = r.s.change(retry.WithoutStop(ctx), func(st *journal.State) {
		st.Approvals = append(st.Approvals, journal.Approval{Run: r.o.RunID, Who: r.o.Who, Time: r.s.now(), Step: info.ID})
	})
	return true, retry.Classify(err, object)
}

// declinedFault wraps a refusal in a fault of class Declined, unless it already is a fault.
func declinedFault(err error, object, seen string) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: object, Seen: seen, Err: err}
}
