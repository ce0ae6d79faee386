package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Working is who works on the cluster; nil: nobody. A process that died is shown until
// its lock has expired and another took it: that it lives is seen by who renews.
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

// LastRun is the last that the journal has; false: it has none.
func (s *Session) LastRun(ctx context.Context) (journal.Run, bool, error) {
	state, err := s.Journal.Load(ctx)
	if err != nil || len(state.Runs) == 0 {
		return journal.Run{}, false, err
	}
	return state.Runs[len(state.Runs)-1], true, nil
}

// Follow shows what another run does to the cluster, or what goes on without one, until
// that is over or ctx ends. It writes nothing.
func (s *Session) Follow(ctx context.Context, o Options) (runner.Result, error) {
	options := runner.Options{Journal: s.Journal, Clock: s.Clock, Sink: o.Sink, Poll: o.Poll}
	if state, err := s.Journal.Load(ctx); err == nil && len(state.Runs) > 0 {
		options.RunID = state.Runs[len(state.Runs)-1].ID
	}
	return runner.Follow[migration.Snapshot](ctx, s.Procedure, s.Held, options)
}
