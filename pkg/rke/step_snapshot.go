package rke

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// snapshot has rke save an etcd snapshot.
type snapshot struct {
	migration.Base
	p *Procedure
}

// SnapshotStep implements migration.Side.
func (p *Procedure) SnapshotStep(b migration.Base) migration.Step { return &snapshot{b, p} }

func (s *snapshot) name() string { return "awsmigrate-" + s.p.options.RunID }

// Plan implements runner.Step.
func (s *snapshot) Plan(context.Context, migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"rke etcd snapshot-save"}, Estimate: "~1m"}, nil
}

// Do implements runner.Step.
func (s *snapshot) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := s.RequireRest(seen); err != nil {
		return err
	}
	return s.p.start(ctx, tx, seen, child{step: s.ID, token: s.name()}, "etcd", "snapshot-save", "--config", s.p.options.Config, "--name", s.name())
}

// Verify implements runner.Step.
func (s *snapshot) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if s.p.childOf(s.ID) == nil {
		return migration.Failed(&fault.Error{Class: fault.CouldNotLook, Reason: "NoSnapshot", Object: "rke etcd snapshot-save",
			Seen: "this run did not start it", Fix: "run again"}), nil
	}
	if verdict := s.p.childVerdict(seen, s.ID); verdict != nil {
		return *verdict, nil
	}
	if err := s.p.noteEnd(ctx, tx, snapshotNote, s.ID); err != nil {
		return runner.Verdict{}, err
	}
	v := migration.Met("rke saved etcd snapshot " + s.name())
	v.Stable = 1
	return v, nil
}

// Finish implements runner.Finisher.
func (s *snapshot) Finish(ctx context.Context, tx *runner.Tx, kindly bool) error {
	s.p.endChild(ctx, tx, kindly)
	return nil
}
