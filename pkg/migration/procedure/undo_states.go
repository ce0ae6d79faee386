package procedure

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// undoStates returns the state of every step of an undo, from the current position backwards. A
// mixture can be undone if it is a half-done step of awsmigrate, in either direction.
func (s progress) undoStates(ids []journal.StepID) (runner.Observation, error) {
	observed := runner.Observation{Position: s.Result.Position.String(), Summary: s.Result.Summary, Words: s.Result.Words(), States: map[journal.StepID]runner.State{}}
	now, err := s.currentUndo()
	if err != nil {
		return observed, err
	}
	for _, id := range ids {
		observed.States[id] = s.undoState(id, now)
	}
	s.skipEarlier(ids, observed.States, now)
	return observed, nil
}

// currentUndo returns the undo step in progress, or empty, and the highest position that any
// part of the cluster has reached.
func (s progress) currentUndo() (current, error) {
	last := s.lastUndo()
	rolling := last != "" && (len(s.Reading.Pending) > 0 || s.cordonsUnrestored(last) || s.cordonsUnrestored(undoneStep(last)))
	at := s.configPosition()
	if err := s.Reading.Frozen(); err != nil {
		return current{}, err
	}
	switch {
	case s.Result.HandMade:
		return current{}, s.halfMigrated()
	case at == position.Unknown && s.Result.Known():
		step := undoStep(stepTo(s.Result.Between[1]))
		if !s.mayResume(undoneStep(step)) {
			return current{}, s.halfMigrated()
		}
		return current{step: step, reached: s.Result.Between[1]}, nil
	case at != position.Unknown:
		from := undonePosition(last)
		if rolling && rolls(s.Options, undoneStep(last)) && (from == at || from == at+1) || s.endUnconfirmed(last) && from == at+1 {
			return current{step: last, reached: at}, nil
		}
		return current{reached: at}, nil
	case rolling:
		return current{step: last, reached: undonePosition(last)}, nil
	}
	return current{}, &fault.Error{Class: fault.CouldNotLook, Reason: "PositionUnknown", Object: s.Reading.Object,
		Seen: s.Result.Summary, Wanted: "the arguments of every kube-controller-manager", Err: joinProblems(s.Result.Problems)}
}

// lastUndo returns the undo of the last announced step, or that step itself if it is an undo
// step.
func (s progress) lastUndo() journal.StepID {
	for i := len(s.Record.Intents) - 1; i >= 0; i-- {
		step := s.Record.Intents[i].Step
		if undoneStep(step) != "" {
			return step
		}
		if undo := undoStep(step); undo != "" {
			return undo
		}
	}
	return ""
}

// LastUndid reports whether the last announced step belongs to an undo. Uncordoning belongs to
// both directions and does not count.
func LastUndid(record journal.Record) bool {
	for _, intent := range slices.Backward(record.Intents) {
		if intent.Step == migration.StepUncordon {
			continue
		}
		return undoneStep(intent.Step) != ""
	}
	return false
}

func (s progress) undoState(id journal.StepID, now current) runner.State {
	if id == now.step {
		return runner.State{Kind: runner.InProgress, Reason: s.Result.Summary}
	}
	if state := rowOf(id).undo; state != nil {
		return state(s, now)
	}
	return undoStateByPosition(id, now)
}

func undoStateByPosition(id journal.StepID, now current) runner.State {
	if now.reached >= undonePosition(id) {
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("the cluster is at %s", now.reached)}
}

func (s progress) undoPreflightState(now current) runner.State {
	if now.reached == position.P0 {
		return runner.State{Kind: runner.Done, Reason: "nothing to undo"}
	}
	return runner.State{Kind: runner.Always}
}

func (s progress) undoUncordonState(current) runner.State {
	if len(s.Cordon.Ours) > 0 {
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: "no node is cordoned by awsmigrate"}
}

func (s progress) undoInstallState(now current) runner.State {
	if left := chart.Left(s.Reading); left != "" {
		return runner.State{Kind: runner.Todo, Reason: left}
	}
	return undoStateByPosition(migration.StepUndoInstall, now)
}

// undoAccessState judges the removal of lease and grant. awsmigrate never removes a grant of a
// user.
func (s progress) undoAccessState(now current) runner.State {
	switch {
	case s.Reading.Down.OwnGrant, s.Reading.Down.Leases.Migration.Exists, now.reached == position.P5:
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: "no grant of awsmigrate, no migration lease"}
}
