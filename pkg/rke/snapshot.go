package rke

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func (b *Backend) snapshotName() string { return "awsmigrate-" + b.Options.RunID }

// TakeSnapshot implements migration.Backend: rke saves one.
func (b *Backend) TakeSnapshot(seen migration.Snapshot) (migration.Edit, error) {
	plan := runner.Plan{Summary: []string{"rke etcd snapshot-save"}, Takes: runner.Minute}
	return migration.Edit{Object: seen.Reading.Object,
		Plan:  func() (runner.Plan, error) { return plan, nil },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.takeSnapshot(ctx, tx, seen) }}, nil
}

func (b *Backend) takeSnapshot(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := seen.Reading.RequireSettled(); err != nil {
		return err
	}
	return b.start(ctx, tx, seen, child{step: migration.StepSnapshot, token: b.snapshotName()}, "etcd", "snapshot-save", "--config", b.Options.Config, "--name", b.snapshotName())
}

// JudgeSnapshot implements migration.Backend.
func (b *Backend) JudgeSnapshot(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if b.childOf(migration.StepSnapshot) == nil {
		return migration.Failed(&fault.Error{Class: fault.CouldNotLook, Reason: "NoSnapshot", Object: "rke etcd snapshot-save",
			Seen: "this run did not start it", Fix: "run again"}), nil
	}
	if verdict := b.childVerdict(seen, migration.StepSnapshot); verdict != nil {
		return *verdict, nil
	}
	if err := b.noteEnd(ctx, tx, snapshotNote, migration.StepSnapshot); err != nil {
		return runner.Verdict{}, err
	}
	v := migration.Met("rke saved etcd snapshot " + b.snapshotName())
	v.Stable = 1
	return v, nil
}
