package managed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Edit implements migration.Editor.
func (b *Backend) Edit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (migration.Edit, error) {
	c := clusterOf(seen)
	edit, err := b.managedEdit(ctx, seen, step)
	if err != nil {
		return migration.Edit{}, err
	}
	return migration.Edit{Object: c.object(), Changes: edit.Changes(c.object()), By: c.LastWriter, Refused: editable(c.object(), c.Config),
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.write(ctx, tx, c, edit) }}, nil
}

func (b *Backend) managedEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (Edit, error) {
	config := clusterOf(seen).Config
	switch step {
	case migration.StepEnable:
		return Enable(config), nil
	case migration.StepSwitch:
		return b.switchEdit(ctx, seen)
	case migration.StepUpgrade:
		edit := Upgrade(config, b.Options.KubernetesVersion)
		if edit.Empty() {
			return edit, nil
		}
		return edit, b.UpgradeAllowed(seen)
	case migration.StepUndoSwitch:
		return b.takeBack(ctx, seen, config, migration.StepSwitch)
	case migration.StepUndoEnable:
		return b.takeBack(ctx, seen, config, migration.StepEnable)
	}
	return Edit{}, fmt.Errorf("step %s edits nothing", step)
}

// switchEdit is empty once the Cluster names the external provider: names were
// decided when that was written.
func (b *Backend) switchEdit(ctx context.Context, seen migration.Snapshot) (Edit, error) {
	provider := rke.FactsOf(seen).Config.CloudProvider
	if provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return Switch(clusterOf(seen).Config, naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, made(seen)), nil
	}
	names, err := b.NameRule(ctx, seen)
	return Switch(clusterOf(seen).Config, names, made(seen)), err
}

// made returns the mappings, by pointer, that edits of enable-leader-migration made and no
// undo has taken back.
func made(seen migration.Snapshot) []string {
	var all []string
	for _, intent := range seen.Record.ToTakeBack(migration.StepEnable, clusterOf(seen).object()) {
		inverse, err := parseInverses(intent.Inverse)
		if err != nil {
			continue
		}
		for _, one := range inverse {
			all = append(all, one.Made...)
		}
	}
	return all
}

// PlanEdit implements migration.Editor.
func (b *Backend) PlanEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (runner.Plan, error) {
	edit, err := b.plannedEdit(ctx, seen, step)
	if err != nil {
		return runner.Plan{}, err
	}
	object, rolls := clusterOf(seen).object(), rke.RollsOf(seen, step)
	plan := runner.Plan{Rolls: rolls, Changes: edit.Changes(object), Takes: runner.Minute * runner.About(1+rolls)}
	for _, c := range plan.Changes {
		plan.Summary = append(plan.Summary, "~ "+c.Location)
	}
	plan.Notes = append(plan.Notes, "Rancher applies it at once, and restarts "+
		rke.Restarts(step, "at once, then the kubelet on every other host", "then the kubelet on every worker")+rke.ProxyToo(plan.Changes))
	return plan, nil
}

// plannedEdit is the edit of a step once those before it are made.
func (b *Backend) plannedEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (Edit, error) {
	config := clusterOf(seen).Config
	switch {
	case step == migration.StepSwitch && seen.Result.Position < position.P2:
		if edit, err := b.switchEdit(ctx, seen); err != nil {
			return edit, err
		}
		names, err := b.NameRule(ctx, seen)
		first := Enable(config)
		return Switch(first.Apply(), names, first.Made()), err
	case step == migration.StepUndoEnable && seen.Result.MayHaveReached(position.P4):
		first, err := b.takeBack(ctx, seen, config, migration.StepSwitch)
		if err != nil {
			return first, err
		}
		return b.takeBack(ctx, seen, first.Apply(), migration.StepEnable)
	}
	return b.managedEdit(ctx, seen, step)
}

// tryEdits says whether the edits to come have a place.
func tryEdits(seen migration.Snapshot, _ naming.Rule) error {
	return editable(clusterOf(seen).object(), clusterOf(seen).Config)
}

// Apply implements migration.Editor: Rancher takes every edit up by itself.
func (b *Backend) Apply(context.Context, *runner.Tx, migration.Snapshot, journal.StepID) error {
	return nil
}

// Rollout implements migration.Editor.
func (b *Backend) Rollout(ctx context.Context, _ *runner.Tx, seen migration.Snapshot, step journal.StepID) (migration.Rollout, error) {
	c := clusterOf(seen)
	r := rke.RolloutOf(seen, step, b.Options.KubernetesVersion, b.Applied)
	r.Progress, r.By = seen.Reading.Progress(marks(seen)...), migration.ByRancher()
	stop := func(v runner.Verdict) (migration.Rollout, error) {
		r.Verdict = &v
		return r, nil
	}
	if err := c.failure(); err != nil {
		return stop(migration.Failed(err))
	}
	if edit, err := b.managedEdit(ctx, seen, step); err == nil && !edit.Empty() {
		return stop(migration.TakenBack(c.object(), edit.locations(), c.LastWriter))
	}
	for _, open := range seen.Reading.Pending {
		r.Applying = append(r.Applying, open.Seen)
	}
	return r, nil
}

// marks change when Rancher's side moves.
func marks(seen migration.Snapshot) []string {
	var marks []string
	for _, kind := range []string{"Updated", "Upgraded", "Ready"} {
		marks = append(marks, "c "+conditionText(kind, clusterOf(seen).Conditions[kind]))
	}
	for _, n := range clusterOf(seen).Nodes {
		marks = append(marks, fmt.Sprintf("w %s %d %d", n.Name, n.PlanVersion, n.AppliedVersion))
	}
	for i := range seen.Reading.Down.Nodes {
		// rke cordons the host in hand, and a kubelet that restarts writes its label.
		node := &seen.Reading.Down.Nodes[i]
		marks = append(marks, fmt.Sprintf("h %s %t %s", node.UID, node.Unschedulable, node.Labels[corev1.LabelHostname]))
	}
	return append(marks, fmt.Sprintf("s %v", rke.FactsOf(seen).State.Current.Config.CloudProvider.Name))
}

// WhileRolling implements migration.Editor: rke uncordons every node that it visits, and
// while Rancher is at work it may still visit them.
func (b *Backend) WhileRolling(_ context.Context, _ *runner.Tx, seen migration.Snapshot, _ journal.StepID) (busy bool, err error) {
	return len(seen.Reading.Pending) > 0, nil
}

// Finish implements migration.Editor: nothing of Rancher's is the run's to end.
func (b *Backend) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }
