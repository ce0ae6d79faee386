package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// PlannedStep is one step with how far it is and, if it is still to do or is
// done in every run, what it would do.
type PlannedStep struct {
	Info
	State State `json:"state"`
	Plan
}

// PlanAll observes the cluster and plans every step. It never writes. journal
// may be nil where there is none to read.
func PlanAll(ctx context.Context, p Procedure, journal Journal) (Observation, []PlannedStep, error) {
	var st JournalState
	if journal != nil {
		var err error
		if st, err = journal.Load(ctx); err != nil {
			return Observation{}, nil, classify(err, targetName(p))
		}
	}
	seen, err := observe(ctx, p, st.Record())
	if err != nil {
		return seen, nil, err
	}
	plan, err := planSteps(ctx, p.Steps(), seen)
	return seen, plan, err
}

func targetName(p Procedure) string { return "cluster " + p.Target().Name }

// observe reads the cluster once and makes sure that every step got a state.
func observe(ctx context.Context, p Procedure, journal Record) (Observation, error) {
	seen, err := p.Observe(ctx, journal)
	if err != nil {
		return seen, classify(err, targetName(p))
	}
	for _, s := range p.Steps() {
		id := s.Info().ID
		switch kind := seen.States[id].Kind; kind {
		case Todo, InProgress, Done, Skipped, Always:
		default:
			return seen, &fault.Error{Reason: "NoState", Object: "step " + string(id), Seen: fmt.Sprintf("the observation calls it %q", kind)}
		}
	}
	return seen, nil
}

func planSteps(ctx context.Context, steps []Step, seen Observation) ([]PlannedStep, error) {
	out := make([]PlannedStep, 0, len(steps))
	for _, s := range steps {
		one := PlannedStep{Info: s.Info(), State: seen.States[s.Info().ID]}
		if one.State.Kind.runs() {
			plan, err := s.Plan(ctx)
			if err != nil {
				return out, classify(fmt.Errorf("plan step %s: %w", one.ID, err), "step "+string(one.ID))
			}
			one.Plan = plan
		}
		out = append(out, one)
	}
	return out, nil
}

// runs says whether a step in this state is run.
func (k StateKind) runs() bool { return k.writes() || k == Always }

// writes says whether a step in this state makes a run take the lock.
func (k StateKind) writes() bool { return k == Todo || k == InProgress }

// approved is a plan as somebody said yes to it: the changes of each step that
// writes, nil for those that could not list them yet. What is only for people does
// not count. Nil: nobody was asked.
type approved map[StepID][]string

func approvedOf(plan []PlannedStep) (approved, error) {
	type change struct{ Object, Location, Before, After, Result, SHA256 any }
	steps := approved{}
	for _, p := range plan {
		if !p.State.Kind.writes() {
			continue
		}
		if p.Deferred {
			steps[p.ID] = nil
			continue
		}
		steps[p.ID] = []string{}
		for _, c := range p.Changes {
			text, err := json.Marshal(change{c.Object, c.Location, c.Before, c.After, c.Result, c.SHA256})
			if err != nil {
				return nil, fmt.Errorf("compare plans: %w", err)
			}
			steps[p.ID] = append(steps[p.ID], string(text))
		}
	}
	return steps, nil
}

// covers says whether nothing is in now that is not in a: a step that has become
// done meanwhile needs no new yes, a change that has become another does. A step
// that could not list its changes yet was approved by its summary.
func (a approved) covers(now approved) bool {
	for id, changes := range now {
		known, ok := a[id]
		if !ok {
			return false
		}
		for _, c := range changes {
			if known != nil && !slices.Contains(known, c) {
				return false
			}
		}
	}
	return true
}

// hash names the approved plan in the journal; "" if nobody was asked.
func (a approved) hash() (string, error) {
	if a == nil {
		return "", nil
	}
	text, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("name a plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
