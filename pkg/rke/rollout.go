package rke

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Apply implements migration.Editor: it runs rke, unless everything shows that it ended
// well after the last edit.
func (b *Backend) Apply(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step journal.StepID) error {
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
	return b.up(ctx, tx, seen, step, again)
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
func (b *Backend) Rollout(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step journal.StepID) (migration.Rollout, error) {
	r := RolloutOf(seen, step, b.Options.KubernetesVersion, b.Applied)
	r.Progress = seen.Reading.Progress()
	if file := FactsOf(seen).File; step == migration.StepUndoEnable && file != nil {
		r.Evidence += "; " + leftBeside(seen.Record, b.fileObject(), b.Options.Config, file.Text())
	}
	if r.Verdict = b.childVerdict(seen, step); r.Verdict != nil {
		return r, nil
	}
	if err := b.noteEnd(ctx, tx, upNote, step); err != nil {
		return r, err
	}
	// Not while rke works: it read the file when it began, and must not be ended in
	// the middle of a node.
	if edit, err := b.fileEdit(ctx, seen, step); err == nil && !edit.Empty() {
		v := migration.TakenBack(b.fileObject(), nil, "")
		r.Verdict = &v
		return r, nil
	}
	if why := unfinished(seen); why != "" {
		r.Applying = []string{why}
	}
	return r, nil
}

// RolloutOf says what rke's state and the Nodes still lack of a step's edit. applied says
// in evidence that whoever applies edits has done it.
func RolloutOf(seen migration.Snapshot, step journal.StepID, target, applied string) migration.Rollout {
	r := migration.Rollout{Total: len(seen.Reading.Members), Machines: machinesOf(seen, step, target)}
	switch step {
	case migration.StepEnable:
		r.WaitingFor = "every kube-controller-manager to run with the flag"
		r.Open = otherwise(seen, component.InTreeMigrating)
		r.Done = seen.Reading.CountControlPlanes()
		r.Evidence = fmt.Sprintf("%s; rke's state shows enable-leader-migration for %d control planes", applied, r.Done)
	case migration.StepSwitch:
		r.WaitingFor = "every host to run with the external provider"
		r.Open, r.Done = switchedHosts(seen)
		r.Evidence = fmt.Sprintf("%s; rke's state shows %s for %d hosts, no flag left", applied, rkestate.ProviderExternal, r.Done)
	case migration.StepUndoSwitch:
		r.WaitingFor = "every host to run with the in-tree provider"
		r.Open = otherwise(seen, component.InTreeMigrating)
		r.Done = r.Total
		r.Evidence = applied + "; rke's state shows provider aws with enable-leader-migration"
	case migration.StepUndoEnable:
		r.WaitingFor = "every kube-controller-manager to run without the flag"
		r.Open = otherwise(seen, component.InTree)
		r.Done = r.Total
		r.Evidence = applied + "; rke's state shows no enable-leader-migration"
	case migration.StepUpgrade:
		r.Open, r.Done, r.Evidence = seen.Reading.KubeletsUpgraded(target)
	}
	return r
}

// machinesOf are the hosts that a step changes, each as it is seen. rke records what a
// host runs once it has visited all: until then nothing shows it, but for the one that rke
// has cordoned to work on it (rancher/rke:services/controlplane.go,
// services/workerplane.go@v1.5.9).
func machinesOf(seen migration.Snapshot, step journal.StepID, target string) []runner.Machine {
	lacks := func(migration.Member) string { return "" }
	switch {
	case step == migration.StepUpgrade:
		lacks = func(m migration.Member) string { return seen.Reading.KubeletBehind(m, target) }
	case len(seen.Reading.Pending) > 0:
		lacks = nil
	case step == migration.StepSwitch:
		lacks = func(m migration.Member) string { return m.Missing }
	}
	planes := step == migration.StepEnable || step == migration.StepUndoEnable
	held := cordonedByRKE(seen)
	return seen.Reading.MachineStates(planes, lacks, func(m migration.Member) string {
		if slices.ContainsFunc(m.Nodes, func(node string) bool { return slices.Contains(held, node) }) {
			return "rke works on it"
		}
		return ""
	})
}

func switchedHosts(seen migration.Snapshot) (open []string, done int) {
	for _, m := range seen.Reading.Members {
		if m.Missing == "" {
			done++
		} else {
			open = append(open, fmt.Sprintf("%s %s: %s", m.Kind, m.Name, m.Missing))
		}
	}
	if current := FactsOf(seen).State.Current.Config; current.CloudProvider.AWS != nil && string(current.CloudProvider.AWS) != "null" {
		open = append(open, "rke's state still has awsCloudProvider")
	}
	return append(open, otherwise(seen, component.External)...), done
}

// otherwise describes how rke's state has kube-controller-managers run, if not in a mode.
// It gives all of them the same arguments.
func otherwise(seen migration.Snapshot, mode component.Mode) []string {
	for _, k := range seen.Reading.KCMs {
		if k.Mode() != mode {
			return []string{"rke's state says that kube-controller-manager " + k.Runs()}
		}
	}
	return nil
}

// WhileRolling implements migration.Editor: rke uncordons every node that it visits,
// whoever had cordoned it (rancher/rke:services/controlplane.go@v1.5.9), and one that
// was cut off has to run once more.
func (b *Backend) WhileRolling(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, step journal.StepID) (busy bool, err error) {
	switch c := b.childOf(step); {
	case c == nil:
		return false, nil
	case c.Running():
		return true, nil
	case c.again > 0 && c.Err() == nil:
		return true, b.up(ctx, tx, seen, step, c.again-1)
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
