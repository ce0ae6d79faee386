package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// PlannedStep is one step with how far it is and, if it is still to do or is
// done in every run, what it would do.
type PlannedStep struct {
	Info
	State State `json:"state"`
	Plan
	// Estimate is Takes as people read it.
	Estimate string `json:"estimate,omitempty"`
	// written are the objects of which the journal says that the step has begun to write them.
	written []string
}

// PlanAll observes the cluster and plans every step, for a version to be filled in. It
// never writes. journal may be nil where there is none to read.
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
	seen, plan, err := PlanSeen(ctx, p, st, last)
	return last, seen, plan, err
}

// PlanSeen plans every step of a cluster that was observed with what st records, for a
// version to be filled in. It never writes.
func PlanSeen[S any](ctx context.Context, p Procedure[S], st journal.State, last S) (Observation, WholePlan, error) {
	seen, err := judge(p, last)
	if err != nil {
		return seen, WholePlan{}, err
	}
	steps, err := planSteps(ctx, p.Steps(), last, seen, st.Intents)
	return seen, WholePlan{Basis: p.Basis(last).in(st, infosOf(p.Steps()), seen), Steps: steps}, err
}

func targetName(t journal.Target) string { return "cluster " + t.Name }

// judge makes sure that every step got a state.
func judge[S any](p Procedure[S], last S) (Observation, error) {
	seen, err := p.Judge(last)
	if err != nil {
		return seen, retry.Classify(err, targetName(p.Target()))
	}
	for _, info := range infosOf(p.Steps()) {
		switch kind := seen.States[info.ID].Kind; kind {
		case Todo, InProgress, Done, Skipped, Always:
		default:
			return seen, &fault.Error{Reason: "NoState", Object: "step " + string(info.ID), Seen: fmt.Sprintf("the observation calls it %q", kind)}
		}
	}
	return seen, nil
}

func infosOf[S any](steps []Step[S]) []Info {
	infos := make([]Info, 0, len(steps))
	for _, s := range steps {
		infos = append(infos, s.Info())
	}
	return infos
}

// stepOf is the step with an ID that is one of them.
func stepOf[S any](steps []Step[S], id journal.StepID) Step[S] {
	return steps[slices.IndexFunc(steps, func(s Step[S]) bool { return s.Info().ID == id })]
}

// chosen are those of the steps that are named.
func chosen[S any](steps []Step[S], named []Info) []Step[S] {
	out := make([]Step[S], 0, len(named))
	for _, info := range named {
		out = append(out, stepOf(steps, info.ID))
	}
	return out
}

func planSteps[S any](ctx context.Context, steps []Step[S], last S, seen Observation, intents []journal.Intent) ([]PlannedStep, error) {
	out := make([]PlannedStep, 0, len(steps))
	for _, s := range steps {
		one := PlannedStep{Info: s.Info(), State: seen.States[s.Info().ID]}
		if one.State.Kind.runs() {
			plan, err := s.Plan(ctx, last)
			if err != nil {
				return out, retry.Classify(fmt.Errorf("plan step %s: %w", one.ID, err), "step "+string(one.ID))
			}
			one.Plan, one.Estimate = plan, plan.Takes.String()
		}
		for _, intent := range intents {
			if intent.Step == one.ID {
				one.written = append(one.written, intent.Object)
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// runs says whether a step in this state is run.
func (k StateKind) runs() bool { return k.writes() || k == Always }

// writes says whether a step in this state makes a run take the lock.
func (k StateKind) writes() bool { return k == Todo || k == InProgress }
