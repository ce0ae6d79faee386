package target

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Undo opens the undo of what its Opener opens.
type Undo struct{ Opener }

// Open implements Opener.
func (o Undo) Open(ctx context.Context, out Output, may Access) (*Session, error) {
	s, err := o.Opener.Open(ctx, out, may)
	if err != nil {
		return nil, err
	}
	s.Procedure, s.Words.Undoing = s.Migration.Undo(), true
	return s, nil
}

// Look observes the cluster as the direction of the last run sees it: in the
// middle of an undo, what is left to take back.
func (s *Session) Look(ctx context.Context, record journal.Record) (migration.Snapshot, runner.Observation, error) {
	seen, says, err := s.observe(ctx, record)
	if s.Words.Undoing || !procedure.LastUndid(record) || err == nil && says.Position == position.P0.String() {
		return seen, says, err
	}
	s.Procedure, s.Words.Undoing = s.Migration.Undo(), true
	return s.observe(ctx, record)
}

func (s *Session) observe(ctx context.Context, record journal.Record) (migration.Snapshot, runner.Observation, error) {
	seen, err := s.Procedure.Observe(ctx, record)
	if err != nil {
		return seen, runner.Observation{}, err
	}
	says, err := s.Procedure.Judge(seen)
	return seen, says, err
}
