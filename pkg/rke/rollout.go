package rke

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Apply implements migration.Editor. It starts rke unless the evidence shows that rke
// succeeded after the last edit.
func (b *Backend) Apply(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, step migration.Editing) error {
	b.child = nil // it may belong to an earlier step
	if unfinishedReason(snap) == "" {
		return nil
	}
	if b.Options.NoRKEUp {
		return b.gateUp()
	}
	if err := b.requireNothingPending(snap); err != nil {
		return err
	}
	runsLeft := 0
	if wasCutOff(snap.Record) {
		runsLeft = 1
	}
	return b.runUp(ctx, tx, snap, step.ID, runsLeft)
}

// runUp starts `rke up`. again is the number of further runs. If a run was cut off between
// stopping and renaming a container, the next run starts the old container, records the new
// state and exits 0. Only a second run detects the difference
// (rancher/rke:docker/docker.go@v1.5.10, DoRollingUpdateContainer).
func (b *Backend) runUp(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, step journal.StepID, runsLeft int) error {
	token := fmt.Sprintf("%s%s/%s/%d", upToken, b.Options.RunID, step, runsLeft)
	return b.startRKE(ctx, tx, snap, child{step: step, token: token, runsLeft: runsLeft}, b.upArgs()...)
}

// Rollout implements migration.Editor.
func (b *Backend) Rollout(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, step migration.Editing, _ migration.Config) (migration.Rollout, error) {
	r := RolloutOf(snap, step)
	r.Progress, r.Evidence, r.Doing = snap.Reading.Progress(), "rke ended well", currentHosts(snap)
	if file := FactsOf(snap).File; step.Undoes == migration.StepEnable && file != nil {
		r.Evidence += "; " + describeLeftovers(snap.Record, b.fileObject(), b.Options.Config, file.Text())
	}
	if r.Verdict = b.childVerdict(snap, step.ID); r.Verdict != nil {
		return r, nil
	}
	if err := b.recordEnd(ctx, tx, upNote, step.ID); err != nil {
		return r, err
	}
	// rke reads the file at its start and must not be interrupted in the middle of a node.
	// This check therefore waits for its end.
	if edit, err := b.fold(ctx, snap, []migration.Editing{step}); err == nil && !edit.Empty() {
		v := migration.EditReverted(b.fileObject(), nil, "")
		r.Verdict = &v
		return r, nil
	}
	if why := unfinishedReason(snap); why != "" {
		r.Applying = []string{why}
	}
	return r, nil
}

// RolloutOf returns settings from before an edit that rke's state still contains.
func RolloutOf(snap migration.Snapshot, step migration.Editing) migration.Rollout {
	var r migration.Rollout
	block := FactsOf(snap).State.Current.Config.CloudProvider.AWS
	if step.Target.ControlPlanes == component.External && block != nil && string(block) != "null" {
		r.Left = []string{"rke's state still has awsCloudProvider"}
	}
	return r
}

// currentHosts returns the hosts that rke works on, by member. rke cordons the current host, and
// records the components of the hosts only after it has visited all
// (rancher/rke:services/controlplane.go, services/workerplane.go@v1.5.9).
func currentHosts(snap migration.Snapshot) map[string]string {
	held, doing := cordonedByRKE(snap), map[string]string{}
	for _, m := range snap.Reading.Members {
		if slices.ContainsFunc(m.Nodes, func(node string) bool { return slices.Contains(held, node) }) {
			doing[m.Name] = "rke works on it"
		}
	}
	return doing
}

// WhileRolling implements migration.Editor. It reports busy while rke runs, because rke
// uncordons every node that it visits, including nodes that a user cordoned
// (rancher/rke:services/controlplane.go@v1.5.9). It starts the second run after one that was
// cut off.
func (b *Backend) WhileRolling(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, step migration.Editing) (busy bool, err error) {
	switch c := b.childOf(step.ID); {
	case c == nil:
		return false, nil
	case c.Running():
		return true, nil
	case c.runsLeft > 0 && c.Err() == nil:
		return true, b.runUp(ctx, tx, snap, step.ID, c.runsLeft-1)
	}
	return false, nil
}

// Finish implements migration.Editor. An rke that ended in time needs no second run.
func (b *Backend) Finish(ctx context.Context, tx *runner.Tx, step journal.StepID, graceful bool) error {
	b.endChild(ctx, tx, graceful)
	if c := b.childOf(step); c != nil && step != migration.StepSnapshot && c.endedToken() != "" {
		return b.recordEnd(ctx, tx, upNote, step)
	}
	return nil
}
