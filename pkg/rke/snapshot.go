package rke

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func (b *Backend) snapshotName() string { return "awsmigrate-" + b.Options.RunID }

// TakeSnapshot implements migration.Backend. rke saves the snapshot.
func (b *Backend) TakeSnapshot(snap migration.Snapshot) (migration.Edit, error) {
	plan := runner.Plan{Summary: []string{"rke etcd snapshot-save"}, Takes: runner.Minute}
	return migration.Edit{Object: snap.Reading.Object,
		Plan:  func() (runner.Plan, error) { return plan, nil },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.takeSnapshot(ctx, tx, snap) }}, nil
}

func (b *Backend) takeSnapshot(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if err := snap.Reading.RequireSettled(); err != nil {
		return err
	}
	return b.startRKE(ctx, tx, snap, child{step: migration.StepSnapshot, token: b.snapshotName()}, "etcd", "snapshot-save", "--config", b.Options.Config, "--name", b.snapshotName())
}

// JudgeSnapshot implements migration.Backend.
func (b *Backend) JudgeSnapshot(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if b.childOf(migration.StepSnapshot) == nil {
		return migration.Failed(&fault.Error{Class: fault.CouldNotLook, Reason: "NoSnapshot", Object: "rke etcd snapshot-save",
			Seen: "this run did not start it", Fix: "run again"}), nil
	}
	if verdict := b.childVerdict(snap, migration.StepSnapshot); verdict != nil {
		return *verdict, nil
	}
	if err := b.recordEnd(ctx, tx, snapshotNote, migration.StepSnapshot); err != nil {
		return runner.Verdict{}, err
	}
	v := migration.Met("rke saved etcd snapshot " + b.snapshotName())
	v.Stable = 1
	return v, nil
}
