package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// snapshot takes an etcd snapshot before the first edit.
type snapshot struct{ base }

func (s *snapshot) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	edit, err := s.Backend.TakeSnapshot(snap)
	if err != nil {
		return runner.Plan{}, err
	}
	return edit.Plan()
}

func (s *snapshot) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	edit, err := s.Backend.TakeSnapshot(snap)
	if err != nil {
		return err
	}
	return edit.Write(ctx, tx)
}

func (s *snapshot) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	return s.Backend.JudgeSnapshot(ctx, tx, snap)
}

// Finish implements runner.Finisher.
func (s *snapshot) Finish(ctx context.Context, tx *runner.Tx, graceful bool) error {
	return s.Backend.Finish(ctx, tx, s.ID, graceful)
}
