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
func (b *Backend) Edit(ctx context.Context, seen migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	c := clusterOf(seen)
	edit, err := b.fold(ctx, seen, steps)
	if err != nil {
		return migration.Edit{}, err
	}
	return migration.Edit{Object: c.object(), Changes: edit.Changes(c.object()), By: c.LastWriter, Refused: editable(c.object(), c.Config),
		Plan:  func() (runner.Plan, error) { return planEdit(seen, steps[len(steps)-1], edit), nil },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.write(ctx, tx, c, edit) }}, nil
}

// fold returns the edit of the last of steps, on top of those before it.
func (b *Backend) fold(ctx context.Context, seen migration.Snapshot, steps []migration.Editing) (Edit, error) {
	config, made, last := clusterOf(seen).Config, madeByEnable(seen), len(steps)-1
	for _, step := range steps[:last] {
		edit, err := b.compute(ctx, seen, config, made, step)
		if err != nil || edit.Empty() {
			continue // the plan of that step says what is wrong
		}
		config, made = edit.Apply(), append(made, edit.Made()...)
	}
	return b.compute(ctx, seen, config, made, steps[last])
}

// compute returns what a configuration lacks of the edit of a step. made are the mappings
// that the edit of enable-leader-migration made, by pointer.
func (b *Backend) compute(ctx context.Context, seen migration.Snapshot, config map[string]any, made []string, step migration.Editing) (Edit, error) {
	switch target := step.Target; {
	case target.Version != "":
		edit := Upgrade(config, target.Version)
		if edit.Empty() {
			return edit, nil
		}
		return edit, b.UpgradeAllowed(seen)
	case step.Undoes != "":
		return b.takeBack(ctx, seen, config, step.Undoes)
	case target.ControlPlanes == component.InTreeMigrating:
		return Enable(config), nil
	case target.ControlPlanes == component.External:
		names, err := b.namesIn(ctx, seen)
		return Switch(config, names, made), err
	}
	return Edit{}, fmt.Errorf("step %s edits nothing", step.ID)
}

// namesIn returns by which rule Nodes get their names. Once the Cluster names the external
// provider, that was decided.
func (b *Backend) namesIn(ctx context.Context, seen migration.Snapshot) (naming.Rule, error) {
	provider := rke.FactsOf(seen).Config.CloudProvider
	if provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, nil
	}
	return b.NameRule(ctx, seen)
}

// madeByEnable returns the mappings, by pointer, that edits of enable-leader-migration made
// and no undo has taken back.
func madeByEnable(seen migration.Snapshot) []string {
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

// planEdit describes an edit and what it restarts.
func planEdit(seen migration.Snapshot, step migration.Editing, edit Edit) runner.Plan {
	object, rolls := clusterOf(seen).object(), rke.RollsOf(seen, step)
	plan := runner.Plan{Rolls: rolls, Changes: edit.Changes(object), Takes: runner.Minute * runner.About(1+rolls)}
	for _, c := range plan.Changes {
		plan.Summary = append(plan.Summary, "~ "+c.Location)
	}
	plan.Notes = append(plan.Notes, "Rancher applies it at once, and restarts "+
		rke.Restarts(step.Target, "at once, then the kubelet on every other host", "then the kubelet on every worker")+rke.ProxyToo(plan.Changes))
	return plan
}

// tryEdits says whether the edits to come have a place.
func tryEdits(seen migration.Snapshot, _ naming.Rule) error {
	return editable(clusterOf(seen).object(), clusterOf(seen).Config)
}

// Apply implements migration.Editor: Rancher takes every edit up by itself.
func (b *Backend) Apply(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) error {
	return nil
}

// Rollout implements migration.Editor.
func (b *Backend) Rollout(ctx context.Context, _ *runner.Tx, seen migration.Snapshot, step migration.Editing, _ migration.Config) (migration.Rollout, error) {
	c := clusterOf(seen)
	r := rke.RolloutOf(seen, step)
	r.Evidence = "Rancher has applied it everywhere"
	r.Progress, r.By = seen.Reading.Progress(marks(seen)...), migration.ByRancher()
	stop := func(v runner.Verdict) (migration.Rollout, error) {
		r.Verdict = &v
		return r, nil
	}
	if err := c.failure(); err != nil {
		return stop(migration.Failed(err))
	}
	if edit, err := b.fold(ctx, seen, []migration.Editing{step}); err == nil && !edit.Empty() {
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
func (b *Backend) WhileRolling(_ context.Context, _ *runner.Tx, seen migration.Snapshot, _ migration.Editing) (busy bool, err error) {
	return len(seen.Reading.Pending) > 0, nil
}

// Finish implements migration.Editor: nothing of Rancher's is the run's to end.
func (b *Backend) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }
