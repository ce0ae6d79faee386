package session

import (
	"context"
	"maps"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Account returns who works on the cluster and in which step, or nil if its lock is free. Two
// requests are made if the lock is held, else one.
func (s *Session) Account(ctx context.Context) (*runner.Account, error) {
	held, err := s.Held(ctx)
	if err != nil || held == nil {
		return nil, err
	}
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return nil, err
	}
	died := held.DiedHere(s.Owner.Host, lock.HostProcesses(), lock.HostWitness())
	return runner.AccountOf(state, held, died, s.Clock.Now()), nil
}

// AsRun returns the session with the options and the direction of a run that works on its cluster,
// so that it shows the steps of that run. It connects again if the options differ. If that fails,
// it keeps the options of this session: the run's announcement still has its steps.
func (s *Session) AsRun(ctx context.Context, run *runner.Account) *Session {
	if !run.Works() || run.Goal == "" {
		return s
	}
	shown := s
	if s.reopen != nil && !maps.Equal(run.Options, s.Migration.Basis(migration.Snapshot{}).Options) {
		if again, err := s.reopen(ctx, run.Options); err == nil {
			shown = again
		}
	}
	shown.Procedure, shown.isUndo, shown.followed = shown.Migration, false, true
	if run.Goal == procedure.GoalUndo {
		shown.switchToUndo()
	}
	return shown
}

// LastRun returns the last run of the journal, or false.
func (s *Session) LastRun(ctx context.Context) (journal.Run, bool, error) {
	state, err := s.Journal.Load(ctx)
	if err != nil || len(state.Runs) == 0 {
		return journal.Run{}, false, err
	}
	return state.Runs[len(state.Runs)-1], true, nil
}

// Follow shows the rollout of another run, or one without a run, until it is over or ctx ends.
// It writes nothing.
func (s *Session) Follow(ctx context.Context, o Options) (runner.Result, error) {
	options := runner.Options{Journal: s.Journal, Clock: s.Clock, Sink: o.Sink, Poll: o.Poll}
	if state, err := s.Journal.Load(ctx); err == nil && len(state.Runs) > 0 {
		options.RunID = state.Runs[len(state.Runs)-1].ID
	}
	return runner.Follow[migration.Snapshot](ctx, s.Procedure, s.Held, options)
}
