package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// approve asks for a yes to the plan and returns what was approved, nil if
// nobody was to be asked.
func (r *run[S]) approve(ctx context.Context, left *Leftover[S]) (*WholePlan, error) {
	if r.o.Approve == nil && r.o.Saved == nil {
		return nil, nil
	}
	plan, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	if plan.Basis.Restored && r.o.Saved == nil && r.o.Unattended {
		return nil, restored("nobody has looked at what a run would do now")
	}
	if r.o.Saved != nil {
		if err := r.o.Saved.allows(plan, putBack(r.s.journal(), r.steps, r.seen)); err != nil {
			return nil, err
		}
	}
	if r.o.Approve == nil {
		return &plan, nil
	}
	err = r.p.Precheck(ctx, r.last, r.seen)
	if err == nil {
		proposal := Proposal{Header: r.p.Header(r.last), Observation: r.seen, WholePlan: plan}
		err = r.whileWatched(ctx, left, func() error { return r.o.Approve(ctx, proposal) })
	}
	return &plan, declined(err, targetName(r.p.Target()), "the plan was not approved")
}

// plan is what would be done now.
func (r *run[S]) plan(ctx context.Context) (WholePlan, error) {
	steps, err := planSteps(ctx, r.p.Steps(), r.last, r.seen, r.s.journal().Intents)
	return WholePlan{Version: r.o.Version, Basis: r.basis(), Steps: steps}, err
}

// basis is what a plan rests on now.
func (r *run[S]) basis() Basis { return r.p.Basis(r.last).in(r.s.journal(), r.steps, r.seen) }

// stillApproved compares what was approved with what would be done now that
// nobody else can interfere.
func (r *run[S]) stillApproved(ctx context.Context, yes *WholePlan) error {
	if yes == nil {
		return nil
	}
	plan, err := r.plan(ctx)
	if err != nil {
		return err
	}
	r.keep(plan.Steps)
	then, err := approvedOf(yes.Steps)
	if err != nil {
		return err
	}
	now, err := approvedOf(plan.Steps)
	if err != nil || then.covers(now) && plan.Basis.moved(yes.Basis) == nil {
		return err
	}
	return &fault.Error{
		Class: fault.Stale, Reason: "PlanStale", Object: targetName(r.p.Target()),
		Seen: "the cluster changed after the plan was shown, so that other changes would be made", Wanted: "the plan that was approved",
		Fix: "run the same command again and look at the new plan",
	}
}

// stillSaved compares a step that is about to begin with the saved plan: what others did
// since the run began may have made it write something else.
func (r *run[S]) stillSaved(ctx context.Context, info Info, state State) error {
	if r.o.Saved == nil || state.Kind != Todo {
		return nil
	}
	now, err := planSteps(ctx, chosen(r.p.Steps(), []Info{info}), r.last, r.seen, r.s.journal().Intents)
	if err != nil {
		return err
	}
	r.keep(now)
	return asSaved(r.o.Saved.Steps, now)
}

// keep remembers what steps are about to change, for whoever is told that one begins.
func (r *run[S]) keep(plan []PlannedStep) {
	for _, step := range plan {
		r.planned[step.ID] = step.Changes
	}
}

// mayNow asks whether a step may begin at all at this time. What was begun goes on.
func (r *run[S]) mayNow(ctx context.Context, info Info, state State) error {
	if r.o.Hold == nil || state.Kind != Todo {
		return nil
	}
	if err := r.o.Hold(ctx, info); err != nil {
		return retry.Classify(err, "step "+string(info.ID))
	}
	if r.leaving() { // asked for while it was held
		return r.interrupted("before step " + string(info.ID))
	}
	return nil
}

// gate asks before a step that has no way back. asked says that a person had
// to be asked just now, so that what was seen before may be old.
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
	if err := declined(r.o.Confirm(ctx, info), object, "it was not confirmed"); err != nil {
		return false, err
	}
	r.confirmed[info.ID] = true
	err = r.s.change(retry.WithoutStop(ctx), func(st *journal.State) {
		st.Approvals = append(st.Approvals, journal.Approval{Run: r.o.RunID, Who: r.o.Who, Time: r.s.now(), Step: info.ID})
	})
	return true, retry.Classify(err, object)
}

// declined gives a no its class, unless whoever said it did.
func declined(err error, object, seen string) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: object, Seen: seen, Err: err}
}
