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
func (b *Backend) TakeSnapshot(snap migration.Snapshot) (migration.Edit, error) {
	return migration.Edit{Object: snap.Reading.Object,
		Plan:  func() (runner.Plan, error) { return planSnapshot(snap), nil },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.takeSnapshot(ctx, tx, snap) }}, nil
}

// planSnapshot describes the snapshot. A snapshot that was requested and has not finished
// stays in the plan. No other is requested, and an earlier approval of the plan stays valid.
func planSnapshot(snap migration.Snapshot) runner.Plan {
	now := rancherFacts(snap).Cluster.Spec.SnapshotGeneration
	if wanted, begun := snapshotIntended(snap.Record); begun && now >= wanted {
		now = wanted - 1
	}
	return runner.Plan{
		Summary: []string{fmt.Sprintf("etcd snapshot by Rancher, generation %d → %d", now, now+1)},
		Takes:   runner.Minute,
		Changes: []runner.Change{{Object: snap.Reading.Object, Location: "spec.rkeConfig.etcdSnapshotCreate.generation",
			Before: now, After: now + 1, Diff: fmt.Sprintf("- %d\n+ %d\n", now, now+1)}},
	}
}

// takeSnapshot requests a snapshot as Rancher's UI does. It increments
// spec.rkeConfig.etcdSnapshotCreate.generation
// (rancher/rancher:pkg/apis/rke.cattle.io/v1, ETCDSnapshotCreate).
func (b *Backend) takeSnapshot(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	now := rancherFacts(snap).Cluster.Spec.SnapshotGeneration
	if wanted, begun := snapshotIntended(tx.Record()); begun && now >= wanted {
		return nil
	}
	if err := snap.Reading.RequireSettled(); err != nil {
		return err
	}
	next := now + 1
	patch, err := snapshotPatch(now, next)
	if err != nil {
		return err
	}
	intent := journal.Intent{Step: migration.StepSnapshot, What: fmt.Sprintf("ask Rancher for etcd snapshot %d", next), Object: snap.Reading.Object, Token: strconv.FormatInt(next, 10)}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return b.patchCluster(ctx, rancherFacts(snap), patch, func(spec config.Spec) bool { return spec.SnapshotGeneration >= next })
	})
}

// snapshotPatch returns a patch that tests the value that was read, so that two runs never
// share a generation.
func snapshotPatch(now, next int64) ([]byte, error) {
	const path = "/spec/rkeConfig/etcdSnapshotCreate"
	if now == 0 {
		return kube.JSONPatch(kube.Add(path, map[string]any{"generation": next}))
	}
	return kube.JSONPatch(kube.Test(path+"/generation", now), kube.Replace(path+"/generation", next))
}

// JudgeSnapshot implements migration.Backend.
func (b *Backend) JudgeSnapshot(_ context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	wanted, begun := snapshotIntended(tx.Record())
	if !begun {
		return migration.Failed(&fault.Error{Class: fault.Stale, Reason: "SnapshotUnknown", Object: snap.Reading.Object,
			Seen: "the journal no longer says which snapshot is ours", Fix: "run again"}), nil
	}
	plane := rancherFacts(snap).ControlPlane
	phase := fmt.Sprintf("generation %d, phase %s", plane.SnapshotGeneration, migration.OrElse(plane.SnapshotPhase, "not reported"))
	if plane.SnapshotGeneration >= wanted && plane.SnapshotPhase == "Failed" {
		return migration.Failed(&fault.Error{Class: fault.Check, Reason: "SnapshotFailed", Object: snap.Reading.Object, Seen: phase,
			Wanted: "phase Finished", Fix: "see the rke2-server logs of the etcd nodes, or skip it: --no-etcd-snapshot"}), nil
	}
	rest := snap.Reading.Pending
	if plane.SnapshotGeneration < wanted || plane.SnapshotPhase != "Finished" || len(rest) > 0 {
		if len(rest) > 0 {
			phase += "; " + migration.SummarizePending(rest)
		}
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: fmt.Sprintf("etcd snapshot %d to finish", wanted), Seen: phase, Progress: phase}, nil
	}
	return migration.Met(fmt.Sprintf("snapshot of generation %d finished", wanted)), nil
}

// snapshotIntended returns the generation that the journal announced after the last undo.
// A snapshot from before an undo holds an older state, so a new migration takes its own.
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
