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

// compute returns the part of a step's edit that a configuration lacks. It edits the location
// that takes precedence. Rancher's guides use two other locations: a new selector entry
// replaces every argument that a machine had, and machineGlobalConfig loses against the
// entry without a selector that Rancher's UI creates.
func (b *Backend) compute(snap migration.Snapshot, spec config.Spec, step migration.Editing) (edits.Edit, error) {
	machines := rancherFacts(snap).EditMachines()
	switch mode := step.Target.ControlPlanes; {
	case mode == component.InTreeMigrating && step.Undoes == "":
		return edits.EnableLeaderMigration(spec, machines)
	case mode == component.InTreeMigrating:
		return undoStep(snap, spec, step.Undoes, edits.SwitchBack)
	case mode == component.InTree:
		return undoStep(snap, spec, step.Undoes, edits.DisableLeaderMigration)
	case mode == component.External:
		choice, err := b.endState(snap)
		if err != nil {
			return edits.Edit{}, err
		}
		return edits.SwitchProvider(spec, machines, choice.ForEdits())
	}
	return edits.Edit{}, fmt.Errorf("step %s edits nothing", step.ID)
}

// undoStep computes the next edit that undoes a step, newest first. The inverses in the
// journal restore the original text exactly. If none is left, or the journal is lost,
// fallback computes the edit from the configuration alone.
func undoStep(snap migration.Snapshot, spec config.Spec, step journal.StepID, fallback func(config.Spec, []config.Machine) (edits.Edit, error)) (edits.Edit, error) {
	for _, intent := range snap.Record.IntentsToUndo(step, rancherFacts(snap).ObjectName()) {
		inverse, err := edits.ParseInverse(intent.Inverse)
		if err != nil {
			return edits.Edit{}, snap.Record.Foreign(intent, err)
		}
		edit, err := inverse.Edit(spec)
		if err != nil {
			return edit, alreadyReverted(snap, err)
		}
		if !edit.Empty() {
			return edit, nil
		}
	}
	return fallback(spec, rancherFacts(snap).EditMachines())
}

// alreadyReverted replaces err, of an inverse that does not fit, if another writer reverted the
// whole migration at once. Nothing is left to undo by hand then, and two managers would run.
func alreadyReverted(snap migration.Snapshot, err error) error {
	machines := rancherFacts(snap).Reverted(snap.Reading.Down)
	if len(machines) == 0 {
		return err
	}
	return &fault.Error{Class: fault.Check, Reason: "AlreadyBack", Object: rancherFacts(snap).ObjectName(),
		Seen: "is in-tree again, without " + config.FlagLeaderMigration + ", next to the cloud controller manager (" + strings.Join(machines, ", ") +
			"): its owner or a restore of Rancher reverted the whole migration", Wanted: "the configuration that the last step of the migration left, to undo it step by step",
		Fix: "pause Rancher for this cluster and put the migrated configuration back: docs/after-a-restore.md, docs/owners", Err: err}
}

// Edit implements migration.Editor.
func (b *Backend) Edit(_ context.Context, snap migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	step := steps[len(steps)-1]
	if step.Target.Version != "" {
		return b.upgradeEdit(snap, step.Target.Version)
	}
	f := rancherFacts(snap)
	edit, from, err := b.fold(snap, steps)
	if err != nil {
		return migration.Edit{}, err
	}
	return migration.Edit{Object: f.ObjectName(), Changes: planChanges(f.ObjectName(), edit), By: f.Cluster.LastWriter,
		Plan: func() (runner.Plan, error) { return b.planEdit(snap, step, edit, from) },
		Write: func(ctx context.Context, tx *runner.Tx) error {
			if err := noteManifests(ctx, tx, snap, step); err != nil {
				return err
			}
			return b.writeEdit(ctx, tx, f, edit)
		},
		Announce: func(ctx context.Context, tx *runner.Tx) error {
			if err := noteManifests(ctx, tx, snap, step); err != nil {
				return err
			}
			if err := recordHandoff(ctx, tx, f.Cluster.Spec, edit); err != nil {
				return err
			}
			return announceEdit(ctx, tx, f, edit)
		}}, nil
}

// fold applies the edits of all steps but the last to the configuration. It returns the edit
// of the last step and the configuration that this edit starts from.
func (b *Backend) fold(snap migration.Snapshot, steps []migration.Editing) (edits.Edit, config.Spec, error) {
	spec, last := rancherFacts(snap).Cluster.Spec, len(steps)-1
	for _, step := range steps[:last] {
		before, err := b.compute(snap, spec, step)
		if err != nil {
			continue // the plan of that step reports it
		}
		if spec, err = before.Apply(spec); err != nil {
			return edits.Edit{}, spec, err
		}
	}
	edit, err := b.compute(snap, spec, steps[last])
	return edit, spec, err
}

// planEdit describes an edit and counts the machines that it restarts.
func (b *Backend) planEdit(snap migration.Snapshot, step migration.Editing, edit edits.Edit, from config.Spec) (runner.Plan, error) {
	f := rancherFacts(snap)
	rolls, err := edit.Rolls(from, f.Configs())
	if err != nil {
		return runner.Plan{}, err
	}
	plan := runner.Plan{Rolls: len(rolls), Changes: planChanges(f.ObjectName(), edit), Notes: edit.Notes}
	for _, c := range edit.Changes {
		plan.Summary = append(plan.Summary, fmt.Sprintf("~ %s (+%d −%d)", c.Location, c.Added, c.Removed))
	}
	if len(rolls) > 0 {
		plan.Takes = 2 * runner.Minute * runner.About(len(rolls))
	}
	if step.Target.ControlPlanes == component.External && !edit.Empty() {
		plan.Notes = append(plan.Notes, b.releaseNotes(snap)...)
	}
	if edit.Empty() && pausedOnRequest(snap) {
		plan.Summary = append(plan.Summary, "end the pause that was requested, so that Rancher resumes")
	}
	return plan, nil
}

// releaseNotes returns notes about releases that the cluster cannot use with its end state. If
// the Node names allow it, they suggest an end state without such releases.
func (b *Backend) releaseNotes(snap migration.Snapshot) []string {
	choice, err := b.endState(snap)
	if err != nil {
		return nil // the edit reports it
	}
	return rke2checks.ReleaseNotes(rancherFacts(snap), choice.State, snap.Reading.Down.Nodes)
}

// Apply implements migration.Editor. It does nothing: Rancher's planner applies every edit.
func (b *Backend) Apply(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) error {
	return nil
}

// Finish implements migration.Editor. It does nothing: awsmigrate starts no process that applies the edit.
func (b *Backend) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }

func (b *Backend) upgradeEdit(snap migration.Snapshot, target string) (migration.Edit, error) {
	f := rancherFacts(snap)
	now := f.Cluster.Spec.KubernetesVersion
	edit := migration.Edit{Object: f.ObjectName(), By: f.Cluster.LastWriter}
	edit.Plan = func() (runner.Plan, error) {
		return runner.Plan{Summary: []string{fmt.Sprintf("Kubernetes %s → %s", now, target)},
			Rolls: len(f.Machines), Takes: 3 * runner.Minute * runner.About(len(f.Machines)), Changes: edit.Changes}, nil
	}
	if now == target {
		return edit, nil
	}
	if err := checkUpgrade(now, target); err != nil {
		return edit, err
	}
	if err := b.refuseTarget(snap, target); err != nil {
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

// refuseTarget returns an error if kube-apiserver of the target release does not start after
// this migration.
func (b *Backend) refuseTarget(snap migration.Snapshot, target string) error {
	var switchTo rke2checks.EndState
	if !snap.Switched() {
		choice, err := b.endState(snap)
		if err != nil {
			return nil //nolint:nilerr // AWSM-113 reports it and stops the run
		}
		switchTo = choice.State
	}
	return rke2checks.RefuseTarget(rancherFacts(snap), switchTo, snap.Reading.Down.Nodes, target)
}

// upgradePatch returns a patch that tests for the version that the gate approved.
func upgradePatch(now, target string) ([]byte, error) {
	const path = "/spec/kubernetesVersion"
	return kube.JSONPatch(kube.Test(path, now), kube.Replace(path, target))
}

// checkUpgrade returns an error if the target is no valid upgrade, or a release on which
// the API shows outdated arguments of static pods.
func checkUpgrade(now, target string) error {
	if err := migration.UpgradeAllowed(now, target, "+rke2"); err != nil || !component.FixedUID(target) {
		return err
	}
	return &fault.Error{Class: fault.Usage, Reason: "UpgradeNotAllowed", Object: "flag --kubernetes-version",
		Seen:   "RKE2 " + target + " gives static pods a fixed UID: the API would go on showing arguments that are no longer in force",
		Wanted: component.Unfixed(target)}
}
