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

// undoStates says for every step of an undo how far it is: those from the position
// that the cluster has reached, backwards. A mixture is taken back if it is our own
// half-done step, forwards or backwards.
func (s progress) undoStates(ids []journal.StepID) (runner.Observation, error) {
	seen := runner.Observation{Position: s.Result.Position.String(), Summary: s.Result.Summary, States: map[journal.StepID]runner.State{}}
	now, err := s.undoing()
	if err != nil {
		return seen, err
	}
	for _, id := range ids {
		seen.States[id] = s.undoState(id, now)
	}
	s.deferEarlier(ids, seen.States, now)
	return seen, nil
}

// undoing is the undo step in progress, if any, and the highest position that
// any part of the cluster has reached.
func (s progress) undoing() (current, error) {
	last := s.lastToUndo()
	moving := last != "" && (len(s.Reading.Pending) > 0 || s.cordonsOpen(last) || s.cordonsOpen(undoes(last)))
	at := s.reached()
	if err := s.Reading.Frozen(); err != nil {
		return current{}, err
	}
	switch {
	case s.Result.HandMade:
		return current{}, s.halfMigrated()
	case at == position.Unknown && s.Result.Known():
		step := undoStep(stepTo(s.Result.Between[1]))
		if !s.begunHere(undoes(step)) {
			return current{}, s.halfMigrated()
		}
		return current{step: step, reached: s.Result.Between[1]}, nil
	case at != position.Unknown:
		from := undoFrom(last)
		if moving && rolls(s.Options, undoes(last)) && (from == at || from == at+1) || s.endUnseen(last) && from == at+1 {
			return current{step: last, reached: at}, nil
		}
		return current{reached: at}, nil
	case moving:
		return current{step: last, reached: undoFrom(last)}, nil
	}
	return current{}, &fault.Error{Class: fault.CouldNotLook, Reason: "PositionUnknown", Object: s.Reading.Object,
		Seen: s.Result.Summary, Wanted: "the arguments of every kube-controller-manager", Err: joined(s.Result.Problems)}
}

// lastToUndo is the undo of what the journal announced last: a step of the
// migration, or that very undo.
func (s progress) lastToUndo() journal.StepID {
	for i := len(s.Record.Intents) - 1; i >= 0; i-- {
		step := s.Record.Intents[i].Step
		if undoes(step) != "" {
			return step
		}
		if undo := undoStep(step); undo != "" {
			return undo
		}
	}
	return ""
}

// LastUndid says whether the journal's last work was an undo's. Cordons are given
// back in both directions.
func LastUndid(record journal.Record) bool {
	for _, intent := range slices.Backward(record.Intents) {
		if intent.Step == migration.StepUncordon {
			continue
		}
		return undoes(intent.Step) != ""
	}
	return false
}

func (s progress) undoState(id journal.StepID, now current) runner.State {
	if id == now.step {
		return runner.State{Kind: runner.InProgress, Reason: s.Result.Summary}
	}
	switch id {
	case migration.StepUndoPreflight:
		if now.reached == position.P0 {
			return runner.State{Kind: runner.Done, Reason: "nothing is to be taken back"}
		}
		return runner.State{Kind: runner.Always}
	case migration.StepVerify:
		return runner.State{Kind: runner.Always}
	case migration.StepUncordon:
		if len(s.Cordon.Ours) > 0 {
			return runner.State{Kind: runner.Todo}
		}
		return runner.State{Kind: runner.Done, Reason: "no node is cordoned by awsmigrate"}
	case migration.StepUndoInstall:
		if left := chart.Left(s.Reading); left != "" {
			return runner.State{Kind: runner.Todo, Reason: left}
		}
	case migration.StepUndoAccess:
		return s.undoAccessState(now)
	}
	if now.reached >= undoFrom(id) {
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("the cluster is at %s", now.reached)}
}

// undoAccessState: a right that others gave is none of ours to take.
func (s progress) undoAccessState(now current) runner.State {
	switch {
	case s.Reading.Down.OwnGrant, s.Reading.Down.Leases.Migration.Exists, now.reached == position.P5:
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: "no grant of awsmigrate, no migration lease"}
}
