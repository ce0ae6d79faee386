package rke

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Edit implements migration.Editor.
func (b *Backend) Edit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (migration.Edit, error) {
	edit, err := b.fileEdit(ctx, seen, step)
	if err != nil {
		return migration.Edit{}, err
	}
	out := migration.Edit{Object: b.fileObject(), Changes: b.changeOf(edit),
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.writeEdit(ctx, tx, edit) }}
	if !edit.Empty() {
		out.Refused = b.requireNothingPending(seen)
	}
	return out, nil
}

func (b *Backend) fileEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (clusterfile.Edit, error) {
	file := FactsOf(seen).File
	switch step {
	case migration.StepEnable:
		return enableEdit(file)
	case migration.StepSwitch:
		return b.switchEdit(ctx, seen)
	case migration.StepUpgrade:
		return b.upgradeEdit(seen)
	case migration.StepUndoSwitch:
		return b.takeBack(seen, file, migration.StepSwitch)
	case migration.StepUndoEnable:
		return b.takeBack(seen, file, migration.StepEnable)
	}
	return clusterfile.Edit{}, fmt.Errorf("step %s edits nothing", step)
}

// switchEdit is empty once the file names the external provider: names were decided
// when that was written, and are not decided again.
func (b *Backend) switchEdit(ctx context.Context, seen migration.Snapshot) (clusterfile.Edit, error) {
	names := naming.Rule{}
	if provider := FactsOf(seen).Config.CloudProvider; provider.Name == rkestate.ProviderExternal && provider.UseInstanceMetadataHostname != nil {
		names.UseMetadata = *provider.UseInstanceMetadataHostname
	} else {
		var err error
		if names, err = b.NameRule(ctx, seen); err != nil {
			return clusterfile.Edit{}, err
		}
	}
	return switchEdit(FactsOf(seen).File, names, madeByEnable(seen.Record, b.fileObject()))
}

// upgradeEdit refuses a version that may not come next, unless it is there.
func (b *Backend) upgradeEdit(seen migration.Snapshot) (clusterfile.Edit, error) {
	edit, err := upgradeEdit(FactsOf(seen).File, b.Options.KubernetesVersion)
	if err != nil || edit.Empty() {
		return edit, err
	}
	return edit, b.UpgradeAllowed(seen)
}

// PlanEdit implements migration.Editor.
func (b *Backend) PlanEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (runner.Plan, error) {
	edit, err := b.plannedEdit(ctx, seen, step)
	if err != nil {
		return runner.Plan{}, err
	}
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
	plan.Notes = append(plan.Notes, "rke restarts "+Restarts(step, "at once, then the kubelet on every other host", "the kubelet on every other host")+ProxyToo(plan.Changes))
	return plan, nil
}

// plannedEdit is the edit of a step once those before it are made.
func (b *Backend) plannedEdit(ctx context.Context, seen migration.Snapshot, step journal.StepID) (clusterfile.Edit, error) {
	switch step {
	case migration.StepSwitch:
		edit, err := b.switchEdit(ctx, seen)
		if err != nil || seen.Result.Position >= position.P2 {
			return edit, err
		}
		names, err := b.NameRule(ctx, seen)
		if err != nil {
			return edit, err
		}
		return switchFrom(FactsOf(seen).File, names, madeByEnable(seen.Record, b.fileObject()))
	case migration.StepUpgrade:
		if err := b.UpgradeAllowed(seen); err != nil {
			return clusterfile.Edit{}, err
		}
	case migration.StepUndoEnable:
		file, err := b.fileSwitchedBack(seen)
		if err != nil {
			return clusterfile.Edit{}, err
		}
		return b.takeBack(seen, file, migration.StepEnable)
	}
	return b.fileEdit(ctx, seen, step)
}

// fileSwitchedBack is the file once the switch is taken back in it. By the file, not by
// the position alone: a run may have been killed before rke applied the switch that the
// file has already, or after this undo took it back.
func (b *Backend) fileSwitchedBack(seen migration.Snapshot) (*clusterfile.File, error) {
	file := FactsOf(seen).File
	first, err := b.takeBack(seen, file, migration.StepSwitch)
	if err != nil {
		if seen.Result.MayHaveReached(position.P4) {
			return nil, err
		}
		return file, nil
	}
	if first.Empty() {
		return file, nil
	}
	return clusterfile.Parse(file.Name(), first.After)
}

// RollsOf is how many machines restart something in a step.
func RollsOf(seen migration.Snapshot, step journal.StepID) int {
	if step == migration.StepEnable {
		return seen.Reading.CountControlPlanes()
	}
	return len(seen.Reading.Members)
}

// Restarts says what a step restarts; forth and back say how rke reaches the other hosts.
func Restarts(step journal.StepID, back, forth string) string {
	switch step {
	case migration.StepEnable, migration.StepUndoEnable:
		return "kube-controller-manager on every control plane, one after the other"
	case migration.StepSwitch:
		return "kube-apiserver, kube-controller-manager and kubelet on every control plane, " + forth
	case migration.StepUndoSwitch:
		return "kube-apiserver, kube-controller-manager and kubelet on every control plane " + back
	}
	return "every component on every host"
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
