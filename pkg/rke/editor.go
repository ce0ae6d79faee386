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
func (b *Backend) Edit(ctx context.Context, seen migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	edit, err := b.fold(ctx, seen, steps)
	if err != nil {
		return migration.Edit{}, err
	}
	out := migration.Edit{Object: b.fileObject(), Changes: b.changeOf(edit),
		Plan:  func() (runner.Plan, error) { return b.planEdit(seen, steps[len(steps)-1], edit) },
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.writeEdit(ctx, tx, edit) }}
	if !edit.Empty() {
		out.Refused = b.requireNothingPending(seen)
	}
	return out, nil
}

// fold returns the edit of the last of steps, on the file that the steps before it leave.
func (b *Backend) fold(ctx context.Context, seen migration.Snapshot, steps []migration.Editing) (clusterfile.Edit, error) {
	file, made, last := FactsOf(seen).File, madeByEnable(seen.Record, b.fileObject()), len(steps)-1
	for _, step := range steps[:last] {
		edit, err := b.compute(ctx, seen, file, made, step)
		if err != nil || edit.Empty() {
			continue // the plan of that step says what is wrong
		}
		if made.Empty() {
			made = edit.Made
		}
		if file, err = clusterfile.Parse(file.Name(), edit.After); err != nil {
			return clusterfile.Edit{}, err
		}
	}
	return b.compute(ctx, seen, file, made, steps[last])
}

// compute returns what a file lacks of the edit of a step. made is what the edit of
// enable-leader-migration put above the flag.
func (b *Backend) compute(ctx context.Context, seen migration.Snapshot, file *clusterfile.File, made yamltext.Made, step migration.Editing) (clusterfile.Edit, error) {
	switch target := step.Target; {
	case target.Version != "":
		return b.upgradeEdit(seen, target.Version)
	case step.Undoes != "":
		return b.takeBack(seen, file, step.Undoes)
	case target.ControlPlanes == component.InTreeMigrating:
		return enableEdit(file)
	case target.ControlPlanes == component.External:
		names, err := b.namesIn(ctx, seen, file)
		if err != nil {
			return clusterfile.Edit{}, err
		}
		return switchEdit(file, names, made)
	}
	return clusterfile.Edit{}, fmt.Errorf("step %s edits nothing", step.ID)
}

// namesIn returns by which rule Nodes get their names. Once the file names the external
// provider, that was decided, and is not decided again.
func (b *Backend) namesIn(ctx context.Context, seen migration.Snapshot, file *clusterfile.File) (naming.Rule, error) {
	if provider := file.Config().CloudProvider; provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		return naming.Rule{UseMetadata: *provider.UseInstanceMetadataHostname}, nil
	}
	return b.NameRule(ctx, seen)
}

// upgradeEdit refuses a version that may not come next, unless it is there.
func (b *Backend) upgradeEdit(seen migration.Snapshot, version string) (clusterfile.Edit, error) {
	edit, err := upgradeEdit(FactsOf(seen).File, version)
	if err != nil || edit.Empty() {
		return edit, err
	}
	return edit, b.UpgradeAllowed(seen)
}

// planEdit describes an edit and what it restarts.
func (b *Backend) planEdit(seen migration.Snapshot, step migration.Editing, edit clusterfile.Edit) (runner.Plan, error) {
	if err := b.requireNothingPending(seen); err != nil {
		return runner.Plan{}, err
	}
	rolls := RollsOf(seen, step)
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

// RollsOf returns how many machines restart something in a step.
func RollsOf(seen migration.Snapshot, step migration.Editing) int {
	if step.Target.ControlPlanes == component.InTreeMigrating && step.Undoes == "" {
		return seen.Reading.CountControlPlanes()
	}
	return len(seen.Reading.Members)
}

// Restarts describes what a step restarts; forth and back describe how rke reaches the other
// hosts.
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

// ProxyToo names kube-proxy where changes set or remove useInstanceMetadataHostname: true,
// under which rke leaves its --hostname-override out
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
