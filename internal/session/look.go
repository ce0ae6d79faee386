package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Look observes the cluster as the direction of the last run sees it: in the
// middle of an undo, what is left to take back.
func (s *Session) Look(ctx context.Context, record journal.Record) (migration.Snapshot, runner.Observation, error) {
	seen, says, err := s.observe(ctx, record)
	if s.undoing || !procedure.LastUndid(record) || err == nil && says.Position == position.P0.String() {
		return seen, says, err
	}
	s.goBack()
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
