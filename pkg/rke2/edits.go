package rke2

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// compute returns what a configuration lacks of the edit of a step. Rancher's guides add a
// selector entry, or edit machineGlobalConfig: the first replaces every argument that a
// machine had, the second is beaten by a selector-less entry, which every cluster made in
// the UI has. Here the place that wins is edited.
func (b *Backend) compute(seen migration.Snapshot, spec config.Spec, step migration.Editing) (edits.Edit, error) {
	machines := factsOf(seen).EditMachines()
	switch mode := step.Target.ControlPlanes; {
	case mode == component.InTreeMigrating && step.Undoes == "":
		return edits.EnableLeaderMigration(spec, machines)
	case mode == component.InTreeMigrating:
		return takeBack(seen, spec, step.Undoes, edits.SwitchBack)
	case mode == component.InTree:
		return takeBack(seen, spec, step.Undoes, edits.DisableLeaderMigration)
	case mode == component.External:
		choice, err := b.endState(seen)
		if err != nil {
			return edits.Edit{}, err
		}
		return edits.SwitchProvider(spec, machines, choice.ForEdits())
	}
	return edits.Edit{}, fmt.Errorf("step %s edits nothing", step.ID)
}

// takeBack computes what is left to take back of a step's edits, newest first: by
// the inverses of the journal, which put back what was there to the letter, then
// by what the cluster alone says, for a journal that is lost.
func takeBack(seen migration.Snapshot, spec config.Spec, step journal.StepID, otherwise func(config.Spec, []config.Machine) (edits.Edit, error)) (edits.Edit, error) {
	for _, intent := range seen.Record.ToTakeBack(step, factsOf(seen).ObjectName()) {
		inverse, err := edits.ParseInverse(intent.Inverse)
		if err != nil {
			return edits.Edit{}, seen.Record.Foreign(intent, err)
		}
		edit, err := inverse.Edit(spec)
		if err != nil {
			return edit, alreadyBack(seen, err)
		}
		if !edit.Empty() {
			return edit, nil
		}
	}
	return otherwise(spec, factsOf(seen).EditMachines())
}

// alreadyBack says of an inverse that does not fit, err, whether all of it was put back at
// once: there is nothing to undo by hand then, and two managers are to come.
func alreadyBack(seen migration.Snapshot, err error) error {
	machines := factsOf(seen).Reverted(seen.Reading.Down)
	if len(machines) == 0 {
		return err
	}
	return &fault.Error{Class: fault.Check, Reason: "AlreadyBack", Object: factsOf(seen).ObjectName(),
		Seen: "is in-tree again, without " + config.FlagLeaderMigration + ", beside the cloud controller manager (" + strings.Join(machines, ", ") +
			"): whoever keeps it put it back whole, or a restore of Rancher did", Wanted: "what the last step of the migration left, to go back from step by step",
		Fix: "pause Rancher for this cluster and put the migrated configuration back: docs/after-a-restore.md, docs/owners", Err: err}
}

// Edit implements migration.Editor.
func (b *Backend) Edit(_ context.Context, seen migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	step := steps[len(steps)-1]
	if step.Target.Version != "" {
		return b.upgradeEdit(seen, step.Target.Version)
	}
	f := factsOf(seen)
	edit, from, err := b.fold(seen, steps)
	if err != nil {
		return migration.Edit{}, err
	}
	return migration.Edit{Object: f.ObjectName(), Changes: changesOf(f.ObjectName(), edit), By: f.Cluster.LastWriter,
		Plan: func() (runner.Plan, error) { return b.planEdit(seen, step, edit, from) },
		Write: func(ctx context.Context, tx *runner.Tx) error {
			if err := noteManifests(ctx, tx, seen, step); err != nil {
				return err
			}
			return b.writeEdit(ctx, tx, f, edit)
		},
		Announce: func(ctx context.Context, tx *runner.Tx) error {
			if err := noteManifests(ctx, tx, seen, step); err != nil {
				return err
			}
			if err := noteHanded(ctx, tx, f.Cluster.Spec, edit); err != nil {
				return err
			}
			return announceEdit(ctx, tx, f, edit)
		}}, nil
}

// fold returns the edit of the last of steps, and the configuration that the steps before it
// leave.
func (b *Backend) fold(seen migration.Snapshot, steps []migration.Editing) (edits.Edit, config.Spec, error) {
	spec, last := factsOf(seen).Cluster.Spec, len(steps)-1
	for _, step := range steps[:last] {
		before, err := b.compute(seen, spec, step)
		if err != nil {
			continue // the plan of that step says so
		}
		if spec, err = before.Apply(spec); err != nil {
			return edits.Edit{}, spec, err
		}
	}
	edit, err := b.compute(seen, spec, steps[last])
	return edit, spec, err
}

// planEdit describes an edit and what it restarts.
func (b *Backend) planEdit(seen migration.Snapshot, step migration.Editing, edit edits.Edit, from config.Spec) (runner.Plan, error) {
	f := factsOf(seen)
	rolls, err := edit.Rolls(from, f.Configs())
	if err != nil {
		return runner.Plan{}, err
	}
	plan := runner.Plan{Rolls: len(rolls), Changes: changesOf(f.ObjectName(), edit), Notes: edit.Notes}
	for _, c := range edit.Changes {
		plan.Summary = append(plan.Summary, fmt.Sprintf("~ %s (+%d −%d)", c.Location, c.Added, c.Removed))
	}
	if len(rolls) > 0 {
		plan.Takes = 2 * runner.Minute * runner.About(len(rolls))
	}
	if step.Target.ControlPlanes == component.External && !edit.Empty() {
		plan.Notes = append(plan.Notes, b.releaseNotes(seen)...)
	}
	if edit.Empty() && heldOnRequest(seen) {
		plan.Summary = append(plan.Summary, "end the pause that somebody asked for, so that Rancher goes on")
	}
	return plan, nil
}

// releaseNotes names the releases that the end state closes to the cluster, and the end
// state that closes none if names allow it.
func (b *Backend) releaseNotes(seen migration.Snapshot) []string {
	choice, err := b.endState(seen)
	if err != nil {
		return nil // the edit says so
	}
	return rke2checks.ReleaseNotes(factsOf(seen), choice.State, seen.Reading.Down.Nodes)
}

// Apply implements migration.Editor: Rancher takes every edit up by itself.
func (b *Backend) Apply(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) error {
	return nil
}

// Finish implements migration.Editor: nothing of Rancher's is the run's to end.
func (b *Backend) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }

func (b *Backend) upgradeEdit(seen migration.Snapshot, target string) (migration.Edit, error) {
	f := factsOf(seen)
	now := f.Cluster.Spec.KubernetesVersion
	edit := migration.Edit{Object: f.ObjectName(), By: f.Cluster.LastWriter}
	edit.Plan = func() (runner.Plan, error) {
		return runner.Plan{Summary: []string{fmt.Sprintf("Kubernetes %s → %s", now, target)},
			Rolls: len(f.Machines), Takes: 3 * runner.Minute * runner.About(len(f.Machines)), Changes: edit.Changes}, nil
	}
	if now == target {
		return edit, nil
	}
	if err := upgradeAllowed(now, target); err != nil {
		return edit, err
	}
	if err := b.refuseTarget(seen, target); err != nil {
		return edit, err
	}
	edit.Changes = []runner.Change{{Object: f.ObjectName(), Location: "spec.kubernetesVersion", Before: now, After: target,
		Diff: "- " + now + "\n+ " + target + "\n"}}
	patch, err := upgradePatch(now, target)
	edit.Write = func(ctx context.Context, tx *runner.Tx) error {
		intent := journal.Intent{What: fmt.Sprintf("upgrade %s from %s to %s", f.ObjectName(), now, target), Object: f.ObjectName(), Token: target}
		return tx.Effect(ctx, intent, func(ctx context.Context) error {
			return b.patchCluster(ctx, f, patch, func(spec config.Spec) bool { return spec.KubernetesVersion == target })
		})
	}
	return edit, err
}

// refuseTarget refuses a release that starts no kube-apiserver after this migration.
func (b *Backend) refuseTarget(seen migration.Snapshot, target string) error {
	var switchTo rke2checks.EndState
	if !seen.Switched() {
		choice, err := b.endState(seen)
		if err != nil {
			return nil //nolint:nilerr // AWSM-113 says so, and stops the run
		}
		switchTo = choice.State
	}
	return rke2checks.RefuseTarget(factsOf(seen), switchTo, target)
}

// upgradePatch tests for the version that the gate was asked about.
func upgradePatch(now, target string) ([]byte, error) {
	const path = "/spec/kubernetesVersion"
	return kube.JSONPatch(kube.Test(path, now), kube.Replace(path, target))
}

// upgradeAllowed refuses besides a release after which no arguments are seen.
func upgradeAllowed(now, target string) error {
	if err := migration.UpgradeAllowed(now, target, "+rke2"); err != nil || !component.FixedUID(target) {
		return err
	}
	return &fault.Error{Class: fault.Usage, Reason: "UpgradeNotAllowed", Object: "flag --kubernetes-version",
		Seen:   "RKE2 " + target + " gives static pods a fixed UID: the API would go on showing arguments that are no longer in force",
		Wanted: component.Unfixed(target)}
}
