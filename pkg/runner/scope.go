package runner

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// scope selects the steps that a run may run, from its options and an observation.
type scope struct {
	steps  []Info // in order
	writes bool   // at least one of them is pending
}

// scopeOf returns the steps that o requests.
func scopeOf(steps []Info, obs Observation, o Options) (scope, error) {
	switch {
	case o.Only != "":
		return onlyOne(steps, obs, o.Only)
	case o.Until != "":
		i := slices.IndexFunc(steps, func(s Info) bool { return s.ID == o.Until })
		sc := scope{steps: steps[:i+1]}
		// If the requested step is done, nothing is pending, regardless of the states of the steps
		// before it.
		sc.writes = obs.States[o.Until].Kind != Done && firstTodo(sc.steps, obs) != ""
		return sc, nil
	}
	return scope{steps: steps, writes: firstTodo(steps, obs) != ""}, nil
}

// onlyOne returns the requested step and the steps before it that only read: no run writes
// without the preflight.
func onlyOne(steps []Info, obs Observation, only journal.StepID) (scope, error) {
	first := firstTodo(steps, obs)
	i := slices.IndexFunc(steps, func(s Info) bool { return s.ID == only })
	if obs.States[only].Kind == Always {
		return scope{steps: steps[i : i+1]}, nil
	}
	if only != first {
		e := &fault.Error{
			Class: fault.Usage, Reason: "NotFirst", Object: "step " + string(only),
			Seen:   fmt.Sprintf("is %s, and the next step is %s", describeState(obs.States[only]), first),
			Wanted: "the next step, or one that only reads", Fix: "give --step " + string(first) + ", or leave --step out: a run does the steps in order",
		}
		if first == "" {
			e.Seen, e.Fix = fmt.Sprintf("is %s, and no step is pending", describeState(obs.States[only])), ""
		}
		return scope{}, e
	}
	var in []Info
	for _, s := range steps[:i] {
		if obs.States[s.ID].Kind == Always {
			in = append(in, s)
		}
	}
	return scope{steps: append(in, steps[i]), writes: true}, nil
}

func describeState(s State) string {
	switch s.Kind {
	case Todo:
		return "pending"
	case InProgress:
		return "in progress"
	default:
		return string(s.Kind)
	}
}

// firstTodo returns the first step that is pending or in progress, or "".
func firstTodo(steps []Info, obs Observation) journal.StepID {
	for _, s := range steps {
		if obs.States[s.ID].Kind.writes() {
			return s.ID
		}
	}
	return ""
}
