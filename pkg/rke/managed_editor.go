package rke

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Edit implements migration.Editor.
func (m *Managed) Edit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (migration.Edit, error) {
	c := clusterOf(seen)
	edit, err := m.managedEdit(ctx, seen, step)
	if err != nil {
		return migration.Edit{}, err
	}
	return migration.Edit{Object: c.object(), Changes: edit.Changes(c.object()), By: c.LastWriter, Refused: editable(c.object(), c.Config),
		Write: func(ctx context.Context, tx *runner.Tx) error { return m.write(ctx, tx, c, edit) }}, nil
}

func (m *Managed) managedEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (ManagedEdit, error) {
	config := clusterOf(seen).Config
	switch step {
	case migration.StepEnable:
		return ManagedEnable(config), nil
	case migration.StepSwitch:
		return m.managedSwitch(ctx, seen)
	case migration.StepUpgrade:
		edit := ManagedUpgrade(config, m.options.KubernetesVersion)
		if edit.Empty() {
			return edit, nil
		}
		return edit, m.upgradeAllowed(seen)
	case migration.StepUndoSwitch:
		return m.takeBack(ctx, seen, config, migration.StepSwitch)
	case migration.StepUndoEnable:
		return m.takeBack(ctx, seen, config, migration.StepEnable)
	}
	return ManagedEdit{}, fmt.Errorf("step %s edits nothing", step)
}

// managedSwitch is empty once the Cluster names the external provider: names were
// decided when that was written.
func (m *Managed) managedSwitch(ctx context.Context, seen migration.Snapshot) (ManagedEdit, error) {
	provider := factsOf(seen).Config.CloudProvider
	if provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return ManagedSwitch(clusterOf(seen).Config, naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, made(seen)), nil
	}
	names, err := m.nameRule(ctx, seen)
	return ManagedSwitch(clusterOf(seen).Config, names, made(seen)), err
}

// made are the mappings that the journal's edits of enable-leader-migration made.
func made(seen migration.Snapshot) []string {
	var all []string
	for _, intent := range seen.Record.Intents {
		var inverse []Inverse
		if intent.Step != migration.StepEnable || intent.Object != clusterOf(seen).object() || json.Unmarshal(intent.Inverse, &inverse) != nil {
			continue
		}
		for _, one := range inverse {
			all = append(all, one.Made...)
		}
	}
	return all
}

// PlanEdit implements migration.Editor.
func (m *Managed) PlanEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (runner.Plan, error) {
	edit, err := m.plannedEdit(ctx, seen, step)
	if err != nil {
		return runner.Plan{}, err
	}
	object, rolls := clusterOf(seen).object(), rollsOf(seen, step)
	plan := runner.Plan{Rolls: rolls, Changes: edit.Changes(object), Estimate: fmt.Sprintf("~%dm", 1+rolls)}
	if len(plan.Changes) > 0 {
		plan.Summary = []string{fmt.Sprintf("~ %s (%d keys)", object, len(plan.Changes))}
	}
	plan.Notes = append(plan.Notes, "Rancher applies it at once, and restarts "+
		restarts(step, "at once, then the kubelet on every other host", "then the kubelet on every worker"))
	return plan, nil
}

// plannedEdit is the edit of a step once those before it are made.
func (m *Managed) plannedEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (ManagedEdit, error) {
	config := clusterOf(seen).Config
	switch {
	case step == migration.StepSwitch && seen.Result.Position < position.P2:
		if edit, err := m.managedSwitch(ctx, seen); err != nil {
			return edit, err
		}
		names, err := m.nameRule(ctx, seen)
		first := ManagedEnable(config)
		return ManagedSwitch(first.Apply(), names, first.Made()), err
	case step == migration.StepUndoEnable && (seen.Result.Position >= position.P4 || seen.Result.Between[1] >= position.P4):
		first, err := m.takeBack(ctx, seen, config, migration.StepSwitch)
		if err != nil {
			return first, err
		}
		return m.takeBack(ctx, seen, first.Apply(), migration.StepEnable)
	}
	return m.managedEdit(ctx, seen, step)
}

// tryManagedEdits says whether the edits to come have a place.
func tryManagedEdits(seen migration.Snapshot, _ naming.Rule) error {
	return editable(clusterOf(seen).object(), clusterOf(seen).Config)
}

// Apply implements migration.Editor: Rancher takes every edit up by itself.
func (m *Managed) Apply(context.Context, *runner.Tx, migration.Snapshot, journal.StepID) error {
	return nil
}

// Rollout implements migration.Editor.
func (m *Managed) Rollout(ctx context.Context, _ *runner.Tx, seen migration.Snapshot, step journal.StepID) (migration.Rollout, error) {
	c := clusterOf(seen)
	r := rolloutOf(seen, step, m.options.KubernetesVersion, m.applied)
	r.Progress, r.By = seen.Reading.Progress(marks(seen)...), migration.ByRancher()
	stop := func(v runner.Verdict) (migration.Rollout, error) {
		r.Verdict = &v
		return r, nil
	}
	if err := c.failure(); err != nil {
		return stop(migration.Failed(err))
	}
	if edit, err := m.managedEdit(ctx, seen, step); err == nil && !edit.Empty() {
		return stop(migration.TakenBack(c.object(), edit.locations(), c.LastWriter))
	}
	for _, open := range seen.Reading.Unrest {
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
	return append(marks, fmt.Sprintf("s %v", factsOf(seen).State.Current.Config.CloudProvider.Name))
}

// WhileRolling implements migration.Editor: rke uncordons every node that it visits, and
// while Rancher is at work it may still visit them.
func (m *Managed) WhileRolling(_ context.Context, _ *runner.Tx, seen migration.Snapshot, _ journal.StepID) (busy bool, err error) {
	return len(seen.Reading.Unrest) > 0, nil
}

// Finish implements migration.Editor: nothing of Rancher's is the run's to end.
func (m *Managed) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }
