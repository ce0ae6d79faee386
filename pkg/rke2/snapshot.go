package rke2

import (
	"context"
	"fmt"
	"strconv"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// TakeSnapshot implements migration.Backend.
func (b *Backend) TakeSnapshot(seen migration.Snapshot) (migration.Edit, error) {
	return migration.Edit{Object: seen.Reading.Object,
		Plan:  func() (runner.Plan, error) { return planSnapshot(seen), nil },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.takeSnapshot(ctx, tx, seen) }}, nil
}

// planSnapshot describes the snapshot. One that was asked for and is not seen to its end
// stays the one that is planned: no other is asked for, and a plan that was approved before
// still says what is done.
func planSnapshot(seen migration.Snapshot) runner.Plan {
	now := factsOf(seen).Cluster.Spec.SnapshotGeneration
	if wanted, begun := snapshotIntended(seen.Record); begun && now >= wanted {
		now = wanted - 1
	}
	return runner.Plan{
		Summary: []string{fmt.Sprintf("snapshot generation %d → %d", now, now+1)},
		Takes:   runner.Minute,
		Changes: []runner.Change{{Object: seen.Reading.Object, Location: "spec.rkeConfig.etcdSnapshotCreate.generation",
			Before: now, After: now + 1, Diff: fmt.Sprintf("- %d\n+ %d\n", now, now+1)}},
	}
}

// takeSnapshot asks for one the way Rancher's UI does it: it counts
// spec.rkeConfig.etcdSnapshotCreate.generation up
// (rancher/rancher:pkg/apis/rke.cattle.io/v1, ETCDSnapshotCreate).
func (b *Backend) takeSnapshot(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	now := factsOf(seen).Cluster.Spec.SnapshotGeneration
	if wanted, begun := snapshotIntended(tx.Record()); begun && now >= wanted {
		return nil
	}
	if err := seen.Reading.RequireSettled(); err != nil {
		return err
	}
	next := now + 1
	patch, err := snapshotPatch(now, next)
	if err != nil {
		return err
	}
	intent := journal.Intent{Step: migration.StepSnapshot, What: fmt.Sprintf("ask Rancher for etcd snapshot %d", next), Object: seen.Reading.Object, Token: strconv.FormatInt(next, 10)}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return b.patchCluster(ctx, factsOf(seen), patch, func(spec config.Spec) bool { return spec.SnapshotGeneration >= next })
	})
}

// snapshotPatch tests what was read, so that two runs never share a generation.
func snapshotPatch(now, next int64) ([]byte, error) {
	const path = "/spec/rkeConfig/etcdSnapshotCreate"
	if now == 0 {
		return kube.JSONPatch(kube.Add(path, map[string]any{"generation": next}))
	}
	return kube.JSONPatch(kube.Test(path+"/generation", now), kube.Replace(path+"/generation", next))
}

// JudgeSnapshot implements migration.Backend.
func (b *Backend) JudgeSnapshot(_ context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	wanted, begun := snapshotIntended(tx.Record())
	if !begun {
		return migration.Failed(&fault.Error{Class: fault.Stale, Reason: "SnapshotUnknown", Object: seen.Reading.Object,
			Seen: "the journal no longer says which snapshot is ours", Fix: "run again"}), nil
	}
	plane := factsOf(seen).ControlPlane
	phase := fmt.Sprintf("generation %d, phase %q", plane.SnapshotGeneration, plane.SnapshotPhase)
	if plane.SnapshotGeneration >= wanted && plane.SnapshotPhase == "Failed" {
		return migration.Failed(&fault.Error{Class: fault.Check, Reason: "SnapshotFailed", Object: seen.Reading.Object, Seen: phase,
			Wanted: "phase Finished", Fix: "see the rke2-server logs of the etcd nodes, or go without one: --no-etcd-snapshot"}), nil
	}
	rest := seen.Reading.Pending
	if plane.SnapshotGeneration < wanted || plane.SnapshotPhase != "Finished" || len(rest) > 0 {
		if len(rest) > 0 {
			phase += "; " + migration.SummarizePending(rest)
		}
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: fmt.Sprintf("etcd snapshot %d to finish", wanted), Seen: phase, Progress: phase}, nil
	}
	return migration.Met(fmt.Sprintf("snapshot of generation %d finished", wanted)), nil
}

// snapshotIntended returns the generation that the journal announced last. A snapshot from
// before an undo shows an older cluster: a migration that goes forward again takes its own.
func snapshotIntended(record journal.Record) (int64, bool) {
	intents := record.SinceUndo()
	for i := len(intents) - 1; i >= 0; i-- {
		if intent := intents[i]; intent.Step == migration.StepSnapshot {
			var generation int64
			if _, err := fmt.Sscanf(intent.Token, "%d", &generation); err == nil {
				return generation, true
			}
		}
	}
	return 0, false
}
