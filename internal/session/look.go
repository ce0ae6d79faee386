package session

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Look observes the cluster in the direction of the last run: during an undo, the states are
// the undo's. See AsRun for a run that works now.
func (s *Session) Look(ctx context.Context, record journal.Record) (migration.Snapshot, runner.Observation, error) {
	snap, says, err := s.observe(ctx, record)
	if s.isUndo || s.followed || !procedure.LastUndid(record) || err == nil && says.Position == position.P0.String() {
		return snap, says, err
	}
	s.switchToUndo()
	return s.observe(ctx, record)
}

func (s *Session) observe(ctx context.Context, record journal.Record) (migration.Snapshot, runner.Observation, error) {
	snap, err := s.Procedure.Observe(ctx, record)
	if err != nil {
		return snap, runner.Observation{}, err
	}
	says, err := s.Procedure.Judge(snap)
	return snap, says, err
}
