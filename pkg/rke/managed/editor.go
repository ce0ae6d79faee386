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
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Edit implements migration.Editor.
func (b *Backend) Edit(ctx context.Context, snap migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	c := clusterOf(snap)
	edit, err := b.fold(ctx, snap, steps)
	if err != nil {
		return migration.Edit{}, err
	}
	return migration.Edit{Object: c.object(), Changes: edit.Changes(c.object()), By: c.LastWriter, Refused: checkEditable(c.object(), c.Config),
		Plan:  func() (runner.Plan, error) { return planEdit(snap, steps[len(steps)-1], edit), nil },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.write(ctx, tx, c, edit) }}, nil
}

// fold applies the edits of all steps but the last and returns the edit of the last step.
func (b *Backend) fold(ctx context.Context, snap migration.Snapshot, steps []migration.Editing) (Edit, error) {
	config, made, last := clusterOf(snap).Config, madeByEnable(snap), len(steps)-1
	for _, step := range steps[:last] {
		edit, err := b.compute(ctx, snap, config, made, step)
		if err != nil || edit.Empty() {
			continue // the plan of that step reports the error
		}
		config, made = edit.Apply(), append(made, edit.Made()...)
	}
	return b.compute(ctx, snap, config, made, steps[last])
}

// compute returns the part of a step's edit that a configuration lacks. made lists the
// pointers of mappings that the edit of enable-leader-migration created.
func (b *Backend) compute(ctx context.Context, snap migration.Snapshot, config map[string]any, made []string, step migration.Editing) (Edit, error) {
	switch target := step.Target; {
	case target.Version != "":
		edit := Upgrade(config, target.Version)
		if edit.Empty() {
			return edit, nil
		}
		return edit, b.UpgradeAllowed(snap)
	case step.Undoes != "":
		return b.undoStep(ctx, snap, config, step.Undoes)
	case target.ControlPlanes == component.InTreeMigrating:
		return Enable(config), nil
	case target.ControlPlanes == component.External:
		names, err := b.namesIn(ctx, snap)
		return Switch(config, names, made), err
	}
	return Edit{}, fmt.Errorf("step %s edits nothing", step.ID)
}

// namesIn returns the naming rule of the Nodes. A Cluster with the external provider already
// contains the decision.
func (b *Backend) namesIn(ctx context.Context, snap migration.Snapshot) (naming.Rule, error) {
	provider := rke.FactsOf(snap).Config.CloudProvider
	if provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, nil
	}
	return b.NameRule(ctx, snap)
}

// madeByEnable returns the pointers of mappings that edits of enable-leader-migration created
// and that no undo removed.
func madeByEnable(snap migration.Snapshot) []string {
	var all []string
	for _, intent := range snap.Record.IntentsToUndo(migration.StepEnable, clusterOf(snap).object()) {
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

// planEdit describes an edit and the components that it restarts.
func planEdit(snap migration.Snapshot, step migration.Editing, edit Edit) runner.Plan {
	object, rolls := clusterOf(snap).object(), rke.RollsOf(snap, step)
	plan := runner.Plan{Rolls: rolls, Changes: edit.Changes(object), Takes: runner.Minute * runner.About(1+rolls)}
	for _, c := range plan.Changes {
		plan.Summary = append(plan.Summary, "~ "+c.Location)
	}
	plan.Notes = append(plan.Notes, "Rancher applies it at once, and restarts "+
		rke.Restarts(step.Target, "at once, then the kubelet on every other host", "then the kubelet on every worker")+rke.ProxyToo(plan.Changes))
	return plan
}

// tryEdits returns an error if the configuration has no place for a pending edit.
func tryEdits(snap migration.Snapshot, _ naming.Rule) error {
	return checkEditable(clusterOf(snap).object(), clusterOf(snap).Config)
}

// Apply implements migration.Editor. It does nothing: Rancher applies every edit.
func (b *Backend) Apply(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) error {
	return nil
}

// Rollout implements migration.Editor.
func (b *Backend) Rollout(ctx context.Context, _ *runner.Tx, snap migration.Snapshot, step migration.Editing, _ migration.Config) (migration.Rollout, error) {
	c := clusterOf(snap)
	r := rke.RolloutOf(snap, step)
	r.Evidence = "Rancher has applied it everywhere"
	r.Progress, r.By = snap.Reading.Progress(marks(snap)...), migration.ByRancher()
	stop := func(v runner.Verdict) (migration.Rollout, error) {
		r.Verdict = &v
		return r, nil
	}
	if err := c.failure(); err != nil {
		return stop(migration.Failed(err))
	}
	if edit, err := b.fold(ctx, snap, []migration.Editing{step}); err == nil && !edit.Empty() {
		return stop(migration.EditReverted(c.object(), edit.locations(), c.LastWriter))
	}
	for _, pending := range snap.Reading.Pending {
		r.Applying = append(r.Applying, pending.Seen)
	}
	return r, nil
}

// marks returns texts that change if and only if Rancher or a host made progress.
func marks(snap migration.Snapshot) []string {
	var marks []string
	for _, kind := range []string{"Updated", "Upgraded", "Ready"} {
		marks = append(marks, "c "+conditionText(kind, clusterOf(snap).Conditions[kind]))
	}
	for _, n := range clusterOf(snap).Nodes {
		marks = append(marks, fmt.Sprintf("w %s %d %d", n.Name, n.PlanVersion, n.AppliedVersion))
	}
	for i := range snap.Reading.Down.Nodes {
		// rke cordons the current host, and a restarted kubelet writes its label.
		node := &snap.Reading.Down.Nodes[i]
		marks = append(marks, fmt.Sprintf("h %s %t %s", node.UID, node.Unschedulable, node.Labels[corev1.LabelHostname]))
	}
	return append(marks, fmt.Sprintf("s %v", rke.FactsOf(snap).State.Current.Config.CloudProvider.Name))
}

// WhileRolling implements migration.Editor. It reports busy until Rancher has finished: rke
// uncordons every node that it visits.
func (b *Backend) WhileRolling(_ context.Context, _ *runner.Tx, snap migration.Snapshot, _ migration.Editing) (busy bool, err error) {
	return len(snap.Reading.Pending) > 0, nil
}

// Finish implements migration.Editor. It does nothing: no process of the run applies the edit.
func (b *Backend) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }
