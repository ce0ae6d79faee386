package rke2

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Rollout implements migration.Editor: it names components that crash and an edit that
// somebody took back, and says what Rancher and the machines still lack of it.
func (b *Backend) Rollout(_ context.Context, tx *runner.Tx, seen migration.Snapshot, step journal.StepID) (migration.Rollout, error) {
	r := migration.Rollout{Progress: seen.Reading.Progress(factsOf(seen).Marks()...), By: migration.ByRancher()}
	stop := func(v runner.Verdict) (migration.Rollout, error) {
		v.Progress, r.Verdict = r.Progress, &v
		return r, nil
	}
	if err := b.crashed(seen); err != nil {
		return stop(migration.Failed(err))
	}
	if taken := b.takenBack(seen, step); taken != nil {
		return stop(*taken)
	}
	r.Applying = rancher.Lines(rolledOut(seen, b.missing(seen, step)))
	var before manifests
	if _, err := tx.NoteInto(manifestsNote, &before); err != nil {
		return r, err
	}
	r.Open, r.Done, r.Total, r.Evidence = b.machines(seen, step, before)
	r.Machines = b.seenOf(seen, step, before)
	r.Last = func(ctx context.Context, roll *migration.RolloutJudgement) error {
		return b.waitForKubelets(ctx, seen, roll)
	}
	return r, nil
}

// missing says whether a configuration has the edit of a step, and which places not.
func (b *Backend) missing(seen migration.Snapshot, step journal.StepID) func(config.Spec) (bool, []string) {
	if step == migration.StepUpgrade {
		return func(spec config.Spec) (bool, []string) {
			return spec.KubernetesVersion == b.options.KubernetesVersion, []string{"spec.kubernetesVersion"}
		}
	}
	return func(spec config.Spec) (bool, []string) {
		edit, err := b.computationOf(step)(seen, spec)
		if err != nil {
			return false, []string{err.Error()}
		}
		return edit.Empty(), locations(edit)
	}
}

// machines are what control planes and machines still lack of a step's edit.
func (b *Backend) machines(seen migration.Snapshot, step journal.StepID, before manifests) (open []string, done, total int, evidence string) {
	switch step {
	case migration.StepEnable:
		return flagged(seen.Reading, before)
	case migration.StepSwitch:
		return switched(seen, before)
	case migration.StepUndoSwitch:
		return inTreeAgain(seen.Reading)
	case migration.StepUndoEnable:
		return unflagged(seen.Reading)
	}
	open, done, evidence = seen.Reading.KubeletsUpgraded(b.options.KubernetesVersion)
	return open, done, len(seen.Reading.Down.Nodes), evidence
}

// seenOf are the machines that a step changes, each as it is seen.
func (b *Backend) seenOf(seen migration.Snapshot, step journal.StepID, before manifests) []runner.Machine {
	applying := map[string]bool{}
	for _, m := range factsOf(seen).Machines {
		applying[m.UID] = m.Applying()
	}
	doing := func(m migration.Member) string {
		if applying[m.ID] {
			return "Rancher applies its plan"
		}
		return ""
	}
	planes := step == migration.StepEnable || step == migration.StepUndoEnable
	return seen.Reading.MachineStates(planes, b.lacking(seen.Reading, step, before), doing)
}

// lacking says what a member still lacks of a step's edit; "": nothing.
func (b *Backend) lacking(r migration.Reading, step journal.StepID, before manifests) func(migration.Member) string {
	kcms := map[string]migration.KCM{}
	for _, k := range r.KCMs {
		kcms[k.ID] = k
	}
	byKCM := func(fits func(migration.KCM) bool) func(migration.Member) string {
		return func(m migration.Member) string {
			if k, there := kcms[m.ID]; there && !fits(k) {
				return wellknown.KCM
			}
			return ""
		}
	}
	switch step {
	case migration.StepEnable:
		return byKCM(func(k migration.KCM) bool {
			return k.Mode() == component.InTreeMigrating && before.restarted(migration.StepEnable, k)
		})
	case migration.StepUndoEnable:
		return byKCM(func(k migration.KCM) bool { return k.Mode() == component.InTree })
	case migration.StepSwitch:
		lacks := lacksOf(r, before)
		return func(m migration.Member) string { return lacks[m.ID] }
	case migration.StepUndoSwitch:
		inTree := byKCM(func(k migration.KCM) bool { return k.Mode() == component.InTreeMigrating })
		return func(m migration.Member) string {
			if m.Missing == "" {
				return "kubelet"
			}
			return inTree(m)
		}
	}
	return func(m migration.Member) string { return r.KubeletBehind(m, b.options.KubernetesVersion) }
}

func flagged(r migration.Reading, before manifests) (open []string, done, total int, evidence string) {
	for _, k := range r.KCMs {
		switch {
		case !k.Ready:
			open = append(open, k.Name()+" is not Ready")
		case k.Mode() != component.InTreeMigrating:
			open = append(open, k.Name()+" "+k.Runs())
		case !before.restarted(migration.StepEnable, k):
			open = append(open, k.Name()+" has not restarted since the edit")
		default:
			done++
		}
	}
	return open, done, r.CountControlPlanes(), fmt.Sprintf("%d of %d control planes run with enable-leader-migration", done, r.CountControlPlanes())
}

func unflagged(r migration.Reading) (open []string, done, total int, evidence string) {
	for _, k := range r.KCMs {
		switch {
		case !k.Ready:
			open = append(open, k.Name()+" is not Ready")
		case k.Mode() != component.InTree:
			open = append(open, k.Name()+" "+k.Runs())
		default:
			done++
		}
	}
	return open, done, r.CountControlPlanes(), fmt.Sprintf("%d of %d control planes run without enable-leader-migration", done, r.CountControlPlanes())
}

func switched(seen migration.Snapshot, before manifests) (open []string, done, total int, evidence string) {
	lacks := lacksOf(seen.Reading, before)
	machines := factsOf(seen).Machines
	for _, m := range machines {
		if why, ok := lacks[m.UID]; ok && why == "" {
			done++
		} else {
			open = append(open, fmt.Sprintf("%s: %s", m.Name, why))
		}
	}
	return open, done, len(machines), fmt.Sprintf("%d of %d machines run with the external provider, no flag left", done, len(machines))
}

// lacksOf says for every Machine what it still lacks of the switch; empty for nothing.
func lacksOf(r migration.Reading, before manifests) map[string]string {
	lacks := make(map[string]string, len(r.Members))
	for _, m := range r.Members {
		lacks[m.ID] = m.Missing
	}
	for _, k := range r.KCMs {
		switch {
		case lacks[k.ID] != "":
		case !k.Ready:
			lacks[k.ID] = "kube-controller-manager is not Ready"
		case k.Mode() != component.External:
			lacks[k.ID] = "kube-controller-manager " + k.Runs()
		case !before.restarted(migration.StepSwitch, k):
			lacks[k.ID] = "kube-controller-manager has not restarted since the edit"
		}
	}
	return lacks
}

func inTreeAgain(r migration.Reading) (open []string, done, total int, evidence string) {
	for _, k := range r.KCMs {
		switch {
		case !k.Ready:
			open = append(open, k.Name()+" is not Ready")
		case k.Mode() != component.InTreeMigrating:
			open = append(open, k.Name()+" "+k.Runs())
		}
	}
	for _, m := range r.Members {
		if m.Missing == "" {
			open = append(open, m.Name+" runs with the external provider still")
			continue
		}
		done++
	}
	return open, done, len(r.Members), fmt.Sprintf("%d of %d machines run with the in-tree provider, every kube-controller-manager with the flag", done, len(r.Members))
}
