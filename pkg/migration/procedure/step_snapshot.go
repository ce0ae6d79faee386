package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// snapshot takes an etcd snapshot before the first edit.
type snapshot struct{ base }

func (s *snapshot) snapshotter() (migration.Snapshotter, error) {
	if by := s.Backend.Snapshotter(); by != nil {
		return by, nil
	}
	return nil, migration.UsageError("flag --etcd-snapshot", "given", "none: awsmigrate takes no snapshot of this cluster")
}

func (s *snapshot) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	by, err := s.snapshotter()
	if err != nil {
		return runner.Plan{}, err
	}
	return by.PlanSnapshot(seen), nil
}

func (s *snapshot) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	by, err := s.snapshotter()
	if err != nil {
		return err
	}
	return by.TakeSnapshot(ctx, tx, seen)
}

func (s *snapshot) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	by, err := s.snapshotter()
	if err != nil {
		return runner.Verdict{}, err
	}
	return by.JudgeSnapshot(ctx, tx, seen)
}

// Finish implements runner.Finisher.
func (s *snapshot) Finish(ctx context.Context, tx *runner.Tx, graceful bool) error {
	return s.Backend.Finish(ctx, tx, s.ID, graceful)
}
