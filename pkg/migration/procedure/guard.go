package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Watching returns the procedure for runner.Guard, in the direction of the last run. If the
// journal could not be read, direction and user cordons are unknown: the guard then writes
// nothing but the pause.
func (m *Migration) Watching(record journal.Record) *Migration {
	watching := *m
	if LastUndid(record) {
		watching = *m.Undo()
	}
	watching.isGuard, watching.journalUnread = true, record.Unread != nil
	return &watching
}

var _ runner.Resumer[migration.Snapshot] = (*Migration)(nil) // asserted by the engine at run time

// Leftover implements runner.Resumer: it returns a step that the journal announced and whose
// rollout continues without a run, or nil. On a paused cluster nothing rolls. An interrupted
// hand-over may leave the cluster without a leader, so no watch delays the run that ends it.
// The watch accepts no renames, also not those that an undo found when it began.
func (m *Migration) Leftover(ctx context.Context, snap migration.Snapshot) *runner.Leftover[migration.Snapshot] {
	forward := *m
	forward.isUndo, forward.history.renamed = false, nil
	watching := forward.Watching(snap.Record)
	id := watching.unfinishedStep(snap)
	if id == "" || id == migration.StepHandOver || !snap.Record.LeftOpen && !snap.Record.Begun(id) {
		return nil
	}
	left := &runner.Leftover[migration.Snapshot]{Step: rowOf(id).info(), By: snap.Reading.Roller, Watch: watching, Overtaken: m.isUndo}
	if left.By.Alone && watching.Watched(ctx, snap) == nil {
		return nil
	}
	return left
}

// Watched implements runner.Guarded. It returns nil on a paused cluster, where nothing rolls.
func (m *Migration) Watched(ctx context.Context, snap migration.Snapshot) migration.Step {
	id := m.unfinishedStep(snap)
	if id == "" || snap.Reading.Paused != "" || m.progress(snap).isAtRest(id) || m.lacksEdit(ctx, snap, id) {
		return nil
	}
	return &stepGuard{base{Migration: m, ID: id}, rowOf(id).make(base{Migration: m, ID: id})}
}

// unfinishedStep returns the step that was begun and that no run has seen finish, or empty. If
// the position is unknown, it returns the step that the journal announced last.
func (m *Migration) unfinishedStep(snap migration.Snapshot) journal.StepID {
	judged, err := m.Judge(snap)
	if err == nil {
		for _, id := range m.order() {
			if judged.States[id].Kind == runner.InProgress {
				return id
			}
		}
	}
	if n := len(snap.Record.Intents); snap.Record.LeftOpen && n > 0 {
		return snap.Record.Intents[n-1].Step
	}
	if m.journalUnread && len(snap.Reading.Pending) > 0 { // the position is unknown while a manager restarts
		return m.guessStep(judged)
	}
	return ""
}

// guessStep returns the step to watch if machines restart and the journal is unreadable: the
// last step that a control plane shows, else the first that rolls, or empty.
func (m *Migration) guessStep(judged runner.Observation) journal.StepID {
	var step journal.StepID
	for _, id := range m.order() {
		if rolls(m.Options, id) && (step == "" || judged.States[id].Kind == runner.Done) {
			step = id
		}
	}
	return step
}

// isAtRest reports whether nothing of a step is pending and no user cordon is left to restore.
func (s progress) isAtRest(step journal.StepID) bool {
	return len(s.Reading.Pending) == 0 && !s.cordonsUnrestored(step) && !s.endUnconfirmed(step)
}

// lacksEdit reports whether a step that rolls lacks its edit, or a part of it, while nothing is
// pending: the owner or the next run must still make it.
func (m *Migration) lacksEdit(ctx context.Context, snap migration.Snapshot, step journal.StepID) bool {
	if !rolls(m.Options, step) && !rolls(m.Options, undoneStep(step)) || len(snap.Reading.Pending) > 0 {
		return false
	}
	edit, err := m.Backend.Edit(ctx, snap, base{Migration: m, ID: step}.step())
	return err == nil && !edit.Empty()
}

// signalsOf returns the signals that the guard judges during a step. disable-leader-migration
// ends the migration lease on purpose. In its undo the lease has no holder until the first pod
// with the flag leads.
func signalsOf(step journal.StepID, snap migration.Snapshot) guard.Signals {
	signals := guard.SignalsOf(snap)
	if step == migration.StepDisable || step == migration.StepUndoDisable {
		signals.LeaseNeeded = false
	}
	if step == migration.StepDisable {
		signals.CCMHolds = true // the step starts after the hand-over, and removes the lease that proves it
	}
	return signals
}

// guardVerdict returns the verdict for an error of the guard in a step whose change neither Rancher
// nor rke rolls out. A CCM that restarts needs no pause there. left says what such a stop leaves.
func guardVerdict(err error, left string) runner.Verdict {
	if f, ok := fault.As(err); ok && f.Reason == guard.ReasonCCMRestarts {
		f.Fix = left + "; see why in " + ccmLogs() + ", then run again, or undo"
		return migration.Failed(f)
	}
	return migration.MustPause(err)
}

// stepGuard watches a step that was begun. It writes nothing forward.
type stepGuard struct {
	base
	step migration.Step
}

// Verify implements runner.Step. The step's own end may never be reached, because no run
// continues it or its edit was reverted. So the guard watches until the cluster is at rest.
func (s *stepGuard) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	signals, err := signalsOf(s.ID, snap).WithPast(snap)
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := s.Guard.Judge(signals); err != nil {
		return migration.MustPause(err), nil
	}
	verdict, err := s.step.Verify(ctx, tx, snap)
	if err != nil || verdict.Kind == runner.Met || verdict.Kind == runner.MustPause {
		return verdict, err
	}
	if s.progress(snap).isAtRest(s.ID) || snap.Reading.Paused != "" || s.lacksEdit(ctx, snap, s.ID) {
		return markAtRest(migration.Met("the cluster is at rest; step " + string(s.ID) + " is not finished")), nil
	}
	if verdict.Kind == runner.Failed {
		open := migration.SummarizePending(snap.Reading.Pending)
		verdict = runner.Verdict{Kind: runner.Waiting, Seen: open, Progress: snap.Reading.Progress(open), By: verdict.By, Err: verdict.Err}
	}
	verdict.WaitingFor = migration.OrElse(verdict.WaitingFor, "the cluster to be at rest")
	return verdict, nil
}

// WhileWaiting implements runner.WaitingStep: it restores what the step restores while it
// waits.
func (s *stepGuard) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if s.journalUnread {
		return nil
	}
	if step, ok := s.step.(runner.WaitingStep[migration.Snapshot]); ok {
		return step.WhileWaiting(ctx, tx, snap)
	}
	return s.RestoreUserCordons(ctx, tx, snap)
}
