package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Watching is the procedure for runner.Guard, by the direction of the last run. Where the
// journal could not be read it says neither that, nor what was the user's: nothing is
// written then but the brake.
func (m *Migration) Watching(record journal.Record) *Migration {
	watching := *m
	if LastUndid(record) {
		watching = *m.Undo()
	}
	watching.watches, watching.unrecorded = true, record.Unread != nil
	return &watching
}

var _ runner.Resumer[migration.Snapshot] = (*Migration)(nil) // which the engine asks for

// Leftover implements runner.Resumer: a step that the journal announced and that others
// go on with. On a paused cluster nothing rolls. An interrupted hand-over
// may leave the cluster without a leader: no watch delays the run that ends it. What an
// undo found renamed when it began is no excuse for its watch.
func (m *Migration) Leftover(ctx context.Context, seen migration.Snapshot) *runner.Leftover[migration.Snapshot] {
	forward := *m
	forward.back, forward.before.renamed = false, nil
	watching := forward.Watching(seen.Record)
	id := watching.underWay(seen)
	if id == "" || id == migration.StepHandOver || !seen.Record.LeftOpen && !seen.Record.Begun(id) {
		return nil
	}
	left := &runner.Leftover[migration.Snapshot]{Step: rowOf(id).info(), By: seen.Reading.Roller, Watch: watching, Overtaken: m.back}
	if left.By.Alone && watching.Watched(ctx, seen) == nil {
		return nil
	}
	return left
}

// Watched implements runner.Guarded. A cluster that somebody paused does not roll: whoever
// did that, or our own brake, holds it.
func (m *Migration) Watched(ctx context.Context, seen migration.Snapshot) migration.Step {
	id := m.underWay(seen)
	if id == "" || seen.Reading.Paused != "" || m.progress(seen).rests(id) || m.onlyAnnounced(ctx, seen, id) {
		return nil
	}
	return &guarding{base{Migration: m, ID: id}, rowOf(id).make(base{Migration: m, ID: id})}
}

// underWay is the step that was begun and that no run has seen to its end; "": none.
// Where nobody can place the cluster, it is what the journal announced last.
func (m *Migration) underWay(seen migration.Snapshot) journal.StepID {
	judged, err := m.Judge(seen)
	if err == nil {
		for _, id := range m.order() {
			if judged.States[id].Kind == runner.InProgress {
				return id
			}
		}
	}
	if n := len(seen.Record.Intents); seen.Record.LeftOpen && n > 0 {
		return seen.Record.Intents[n-1].Step
	}
	if m.unrecorded && err == nil && len(seen.Reading.Pending) > 0 {
		return m.likeliest(judged)
	}
	return ""
}

// likeliest is the step that restarts machines, as which whatever moves without a record is
// watched: the last that a control plane shows, or the first; "": there is none.
func (m *Migration) likeliest(judged runner.Observation) journal.StepID {
	var step journal.StepID
	for _, id := range m.order() {
		if rolls(m.Options, id) && (step == "" || judged.States[id].Kind == runner.Done) {
			step = id
		}
	}
	return step
}

// rests says whether nothing of a step moves any more, and nothing that it took from the
// user is still to be given back.
func (s progress) rests(step journal.StepID) bool {
	return len(s.Reading.Pending) == 0 && !s.cordonsOpen(step) && !s.endUnseen(step)
}

// onlyAnnounced says whether the edit of a step that rolls is not in the configuration, or
// not all of it, and nothing moves: it is left to somebody else, or to the next run.
func (m *Migration) onlyAnnounced(ctx context.Context, seen migration.Snapshot, step journal.StepID) bool {
	if !rolls(m.Options, step) && !rolls(m.Options, undoes(step)) || len(seen.Reading.Pending) > 0 {
		return false
	}
	edit, err := m.Backend.Edit(ctx, seen, base{Migration: m, ID: step}.step())
	return err == nil && !edit.Empty()
}

// signalsOf is what the guard judges in a step. The end of the migration lease is what
// disable-leader-migration is for, and on the way back nobody has it before the first pod
// with the flag leads.
func signalsOf(step journal.StepID, seen migration.Snapshot) guard.Signals {
	signals := guard.SignalsOf(seen)
	if step == migration.StepDisable || step == migration.StepUndoDisable {
		signals.LeaseNeeded = false
	}
	if step == migration.StepDisable {
		signals.CCMHolds = true // it begins behind the hand-over, and removes the lease that shows it
	}
	return signals
}

// guarding watches what a step has begun and writes nothing forward.
type guarding struct {
	base
	step migration.Step
}

// Verify implements runner.Step. What the step itself waits for may never come, since
// nobody goes on with it, or somebody took its edit back: while the cluster moves it is
// watched, and at rest the watch ends.
func (s *guarding) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	signals, err := signalsOf(s.ID, seen).WithPast(seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := s.Guard.Judge(signals); err != nil {
		return migration.Braked(err), nil
	}
	verdict, err := s.step.Verify(ctx, tx, seen)
	if err != nil || verdict.Kind == runner.Met || verdict.Kind == runner.Braked {
		return verdict, err
	}
	if s.progress(seen).rests(s.ID) || seen.Reading.Paused != "" || s.onlyAnnounced(ctx, seen, s.ID) {
		return atRest(migration.Met("the cluster is at rest; step " + string(s.ID) + " is not at its end")), nil
	}
	if verdict.Kind == runner.Failed {
		open := migration.SummarizePending(seen.Reading.Pending)
		verdict = runner.Verdict{Kind: runner.Waiting, Seen: open, Progress: seen.Reading.Progress(open), By: verdict.By, Err: verdict.Err}
	}
	verdict.WaitingFor = migration.OrElse(verdict.WaitingFor, "the cluster to come to rest")
	return verdict, nil
}

// WhileWaiting implements runner.WaitingStep: what the step gives back while it waits, a
// guard gives back, too.
func (s *guarding) WhileWaiting(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if s.unrecorded {
		return nil
	}
	if step, ok := s.step.(runner.WaitingStep[migration.Snapshot]); ok {
		return step.WhileWaiting(ctx, tx, seen)
	}
	return s.RestoreUserCordons(ctx, tx, seen)
}
