package rke

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Edit implements migration.Editor.
func (b *Backend) Edit(ctx context.Context, snap migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	edit, err := b.fold(ctx, snap, steps)
	if err != nil {
		return migration.Edit{}, err
	}
	out := migration.Edit{Object: b.fileObject(), Changes: b.changeOf(edit),
		Plan:  func() (runner.Plan, error) { return b.planEdit(snap, steps[len(steps)-1], edit) },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.writeEdit(ctx, tx, edit) }}
	if !edit.Empty() {
		out.Refused = b.requireNothingPending(snap)
	}
	return out, nil
}

// fold applies the edits of all steps but the last to the file and returns the edit of the
// last step.
func (b *Backend) fold(ctx context.Context, snap migration.Snapshot, steps []migration.Editing) (clusterfile.Edit, error) {
	file, made, last := FactsOf(snap).File, madeByEnable(snap.Record, b.fileObject()), len(steps)-1
	for _, step := range steps[:last] {
		edit, err := b.compute(ctx, snap, file, made, step)
		if err != nil || edit.Empty() {
			continue // the plan of that step reports the error
		}
		if made.Empty() {
			made = edit.Made
		}
		if file, err = clusterfile.Parse(file.Name(), edit.After); err != nil {
			return clusterfile.Edit{}, err
		}
	}
	return b.compute(ctx, snap, file, made, steps[last])
}

// compute returns the part of a step's edit that a file lacks. made holds the parents that the
// edit of enable-leader-migration created for the flag.
func (b *Backend) compute(ctx context.Context, snap migration.Snapshot, file *clusterfile.File, made yamltext.Made, step migration.Editing) (clusterfile.Edit, error) {
	switch target := step.Target; {
	case target.Version != "":
		return b.upgradeEdit(snap, target.Version)
	case step.Undoes != "":
		return b.undoStep(snap, file, step.Undoes)
	case target.ControlPlanes == component.InTreeMigrating:
		return enableEdit(file)
	case target.ControlPlanes == component.External:
		names, err := b.namesIn(ctx, snap, file)
		if err != nil {
			return clusterfile.Edit{}, err
		}
		return switchEdit(file, names, made)
	}
	return clusterfile.Edit{}, fmt.Errorf("step %s edits nothing", step.ID)
}

// namesIn returns the naming rule of the Nodes. A file with the external provider already
// contains the decision.
func (b *Backend) namesIn(ctx context.Context, snap migration.Snapshot, file *clusterfile.File) (naming.Rule, error) {
	if provider := file.Config().CloudProvider; provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, nil
	}
	return b.NameRule(ctx, snap)
}

// upgradeEdit returns the edit of the version. It returns an error if the version is no valid
// upgrade, unless the file already has it.
func (b *Backend) upgradeEdit(snap migration.Snapshot, version string) (clusterfile.Edit, error) {
	edit, err := upgradeEdit(FactsOf(snap).File, version)
	if err != nil || edit.Empty() {
		return edit, err
	}
	return edit, b.UpgradeAllowed(snap)
}

// planEdit describes an edit and counts the machines that it restarts.
func (b *Backend) planEdit(snap migration.Snapshot, step migration.Editing, edit clusterfile.Edit) (runner.Plan, error) {
	if err := b.requireNothingPending(snap); err != nil {
		return runner.Plan{}, err
	}
	rolls := RollsOf(snap, step)
	plan := runner.Plan{Rolls: rolls, Changes: b.changeOf(edit)}
	if !edit.Empty() {
		added, removed := edit.Lines()
		plan.Summary = append(plan.Summary, fmt.Sprintf("~ %s (+%d −%d)", b.Options.Config, added, removed))
	}
	if b.Options.NoRKEUp {
		plan.Notes = append(plan.Notes, "stops after the edit: a person runs rke up")
	} else {
		plan.Summary = append(plan.Summary, "rke up")
		plan.Takes = runner.Minute * runner.About(1+rolls)
	}
	plan.Notes = append(plan.Notes, "rke restarts "+Restarts(step.Target, "at once, then the kubelet on every other host", "the kubelet on every other host")+ProxyToo(plan.Changes))
	return plan, nil
}

// RollsOf returns the number of machines that restart a component in a step.
func RollsOf(snap migration.Snapshot, step migration.Editing) int {
	if step.Target.ControlPlanes == component.InTreeMigrating && step.Undoes == "" {
		return snap.Reading.CountControlPlanes()
	}
	return len(snap.Reading.Members)
}

// Restarts describes the components that a step restarts. forth and back describe the order
// on the other hosts.
func Restarts(target migration.Target, back, forth string) string {
	const all = "kube-apiserver, kube-controller-manager and kubelet on every control plane"
	switch {
	case target.Version != "":
		return "every component on every host"
	case target.Kubelets == migration.KubeletExternal:
		return all + ", " + forth
	case target.Kubelets == migration.KubeletInTree:
		return all + " " + back
	}
	return "kube-controller-manager on every control plane, one after the other"
}

// ProxyToo returns text about kube-proxy if changes set or remove useInstanceMetadataHostname:
// true, with which rke omits its --hostname-override. Otherwise it returns empty
// (rancher/rke:cluster/plan.go@v1.5.9 BuildKubeProxyProcess).
func ProxyToo(changes []runner.Change) string {
	const key = "useInstanceMetadataHostname"
	for _, c := range changes {
		for line := range strings.Lines(c.Diff) {
			changed, named := strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-"), strings.Contains(line, key) || strings.HasSuffix(c.Location, "."+key)
			if changed && named && strings.HasSuffix(strings.TrimSpace(line), "true") {
				return ", and kube-proxy on every host"
			}
		}
	}
	return ""
}
