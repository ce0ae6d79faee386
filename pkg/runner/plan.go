package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// PlannedStep describes one step and its state. If the step is pending or always runs, it
// includes the step's plan.
type PlannedStep struct {
	Info
	State State `json:"state"`
	Plan
	// Estimate is Takes as text for people.
	Estimate string `json:"estimate,omitempty"`
	// written lists the objects for which the journal holds an intent of the step.
	written []string
}

// PlanAll observes the cluster and plans every step. It never writes. The caller sets the plan's
// Version. kept may be nil if there is no journal.
func PlanAll[S any](ctx context.Context, p Procedure[S], kept journal.Journal) (S, Observation, WholePlan, error) {
	var st journal.State
	var none S
	if kept != nil {
		var err error
		if st, err = kept.Load(ctx); err != nil {
			return none, Observation{}, WholePlan{}, retry.Classify(err, targetName(p.Target()))
		}
	}
	last, err := p.Observe(ctx, st.Record())
	if err != nil {
		return last, Observation{}, WholePlan{}, retry.Classify(err, targetName(p.Target()))
	}
	obs, plan, err := PlanSeen(ctx, p, st, last)
	return last, obs, plan, err
}

// PlanSeen plans every step from an observation and the journal's state. It never writes. The
// caller sets the plan's Version.
func PlanSeen[S any](ctx context.Context, p Procedure[S], st journal.State, last S) (Observation, WholePlan, error) {
	obs, err := judge(p, last)
	if err != nil {
		return obs, WholePlan{}, err
	}
	steps, err := planSteps(ctx, p.Steps(), last, obs, st.Intents)
	return obs, WholePlan{Basis: p.Basis(last).withEpoch(st, infosOf(p.Steps()), obs), Steps: steps}, err
}

func targetName(t journal.Target) string { return "cluster " + t.Name }

// judge calls Judge, and returns an error if a step has no state.
func judge[S any](p Procedure[S], last S) (Observation, error) {
	obs, err := p.Judge(last)
	if err != nil {
		return obs, retry.Classify(err, targetName(p.Target()))
	}
	for _, info := range infosOf(p.Steps()) {
		switch kind := obs.States[info.ID].Kind; kind {
		case Todo, InProgress, Done, Skipped, Always:
		default:
			return obs, &fault.Error{Reason: "NoState", Object: "step " + string(info.ID), Seen: fmt.Sprintf("the observation calls it %q", kind)}
		}
	}
	return obs, nil
}

func infosOf[S any](steps []Step[S]) []Info {
	infos := make([]Info, 0, len(steps))
	for _, s := range steps {
		infos = append(infos, s.Info())
	}
	return infos
}

// stepOf returns the step with the given ID, which must exist.
func stepOf[S any](steps []Step[S], id journal.StepID) Step[S] {
	return steps[slices.IndexFunc(steps, func(s Step[S]) bool { return s.Info().ID == id })]
}

// selectSteps returns the steps with the given names, in their order.
func selectSteps[S any](steps []Step[S], named []Info) []Step[S] {
	out := make([]Step[S], 0, len(named))
	for _, info := range named {
		out = append(out, stepOf(steps, info.ID))
	}
	return out
}

// everyObject stands for all objects of a step in its list of written objects.
const everyObject = "*"

// writtenBy returns the object that a run may have written after an intent.
func writtenBy(intent journal.Intent) string {
	if intent.Whole {
		return everyObject
	}
	return intent.Object
}

func planSteps[S any](ctx context.Context, steps []Step[S], last S, obs Observation, intents []journal.Intent) ([]PlannedStep, error) {
	out := make([]PlannedStep, 0, len(steps))
	for _, s := range steps {
		one := PlannedStep{Info: s.Info(), State: obs.States[s.Info().ID]}
		if one.State.Kind.runs() {
			plan, err := s.Plan(ctx, last)
			if err != nil {
				return out, retry.Classify(fmt.Errorf("plan step %s: %w", one.ID, err), "step "+string(one.ID))
			}
			one.Plan, one.Estimate = plan, plan.Takes.String()
		}
		for _, intent := range intents {
			if intent.Step == one.ID {
				one.written = append(one.written, writtenBy(intent))
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// runs reports whether a step in this state is run.
func (k StateKind) runs() bool { return k.writes() || k == Always }

// writes reports whether a step in this state makes a run take the lock.
func (k StateKind) writes() bool { return k == Todo || k == InProgress }
