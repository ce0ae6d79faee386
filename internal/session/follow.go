package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Working returns the process that works on the cluster, or nil. A dead process is returned
// until its lock has expired and another process took it: only renewals show that a holder
// lives.
func (s *Session) Working(ctx context.Context) (*runner.Working, error) {
	held, err := s.Held(ctx)
	if err != nil || held == nil {
		return nil, err
	}
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return nil, err
	}
	return runner.WorkingOf(state, held, s.Clock.Now()), nil
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
