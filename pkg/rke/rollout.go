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

// Apply implements migration.Editor: it runs rke, unless everything shows that it ended
// well after the last edit.
func (b *Backend) Apply(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step migration.Editing) error {
	b.child = nil // of an earlier step
	if unfinished(seen) == "" {
		return nil
	}
	if b.Options.NoRKEUp {
		return b.gateUp()
	}
	if err := b.requireNothingPending(seen); err != nil {
		return err
	}
	again := 0
	if cutOff(seen.Record) {
		again = 1
	}
	return b.up(ctx, tx, seen, step.ID, again)
}

// up runs `rke up`. again is how many more times it has to run. After one that was cut
// off between stopping and renaming a container, the next starts the old container,
// records the new state and exits 0; only the one after that sees the difference
// (rancher/rke:docker/docker.go@v1.5.10, DoRollingUpdateContainer).
func (b *Backend) up(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step journal.StepID, again int) error {
	token := fmt.Sprintf("%s%s/%s/%d", upToken, b.Options.RunID, step, again)
	return b.start(ctx, tx, seen, child{step: step, token: token, again: again}, b.upArgs()...)
}

// Rollout implements migration.Editor.
func (b *Backend) Rollout(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step migration.Editing, _ migration.Config) (migration.Rollout, error) {
	r := RolloutOf(seen, step)
	r.Progress, r.Evidence, r.Doing = seen.Reading.Progress(), "rke ended well", worksOn(seen)
	if file := FactsOf(seen).File; step.Undoes == migration.StepEnable && file != nil {
		r.Evidence += "; " + leftBeside(seen.Record, b.fileObject(), b.Options.Config, file.Text())
	}
	if r.Verdict = b.childVerdict(seen, step.ID); r.Verdict != nil {
		return r, nil
	}
	if err := b.noteEnd(ctx, tx, upNote, step.ID); err != nil {
		return r, err
	}
	// Not while rke works: it read the file when it began, and must not be ended in
	// the middle of a node.
	if edit, err := b.fold(ctx, seen, []migration.Editing{step}); err == nil && !edit.Empty() {
		v := migration.TakenBack(b.fileObject(), nil, "")
		r.Verdict = &v
		return r, nil
	}
	if why := unfinished(seen); why != "" {
		r.Applying = []string{why}
	}
	return r, nil
}

// RolloutOf returns what rke's state still has from before an edit, of the whole cluster.
func RolloutOf(seen migration.Snapshot, step migration.Editing) migration.Rollout {
	var r migration.Rollout
	block := FactsOf(seen).State.Current.Config.CloudProvider.AWS
	if step.Target.ControlPlanes == component.External && block != nil && string(block) != "null" {
		r.Left = []string{"rke's state still has awsCloudProvider"}
	}
	return r
}

// worksOn returns the hosts that rke works on, by member: rke records what a host runs once
// it has visited all, and cordons the one that it works on (rancher/rke:services/controlplane.go,
// services/workerplane.go@v1.5.9).
func worksOn(seen migration.Snapshot) map[string]string {
	held, doing := cordonedByRKE(seen), map[string]string{}
	for _, m := range seen.Reading.Members {
		if slices.ContainsFunc(m.Nodes, func(node string) bool { return slices.Contains(held, node) }) {
			doing[m.Name] = "rke works on it"
		}
	}
	return doing
}

// WhileRolling implements migration.Editor: rke uncordons every node that it visits,
// whoever had cordoned it (rancher/rke:services/controlplane.go@v1.5.9), and one that
// was cut off has to run once more.
func (b *Backend) WhileRolling(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step migration.Editing) (busy bool, err error) {
	switch c := b.childOf(step.ID); {
	case c == nil:
		return false, nil
	case c.Running():
		return true, nil
	case c.again > 0 && c.Err() == nil:
		return true, b.up(ctx, tx, seen, step.ID, c.again-1)
	}
	return false, nil
}

// Finish implements migration.Editor. An rke that was let finish needs no second run.
func (b *Backend) Finish(ctx context.Context, tx *runner.Tx, step journal.StepID, graceful bool) error {
	b.endChild(ctx, tx, graceful)
	if c := b.childOf(step); c != nil && step != migration.StepSnapshot && c.ended() != "" {
		return b.noteEnd(ctx, tx, upNote, step)
	}
	return nil
}
