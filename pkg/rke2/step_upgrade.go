package rke2

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// upgrade changes spec.kubernetesVersion, in an edit of its own behind its own
// gate: with 1.27 there is no in-tree provider left to go back to.
type upgrade struct{ base }

// upgradeAllowed refuses besides a release after which no arguments are seen.
func upgradeAllowed(now, target string) error {
	if err := migration.UpgradeAllowed(now, target, "+rke2"); err != nil || !component.FixedUID(target) {
		return err
	}
	return &fault.Error{Class: fault.Usage, Reason: "UpgradeNotAllowed", Object: "flag --kubernetes-version",
		Seen:   "RKE2 " + target + " gives static pods a fixed UID: the API would go on showing arguments that are no longer in force",
		Wanted: component.Unfixed(target)}
}

func (s *upgrade) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	now, target := factsOf(seen).Cluster.Spec.KubernetesVersion, s.p.options.KubernetesVersion
	if err := upgradeAllowed(now, target); err != nil {
		return runner.Plan{}, err
	}
	return runner.Plan{Summary: []string{fmt.Sprintf("Kubernetes %s → %s", now, target)}, Rolls: len(factsOf(seen).Machines),
		Estimate: fmt.Sprintf("~%dm", 3*len(factsOf(seen).Machines)),
		Changes: []runner.Change{{Object: seen.Reading.Object, Location: "spec.kubernetesVersion", Before: now, After: target,
			Diff: "- " + now + "\n+ " + target + "\n"}}}, nil
}

func (s *upgrade) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	now, target := factsOf(seen).Cluster.Spec.KubernetesVersion, s.p.options.KubernetesVersion
	if now == target {
		return nil
	}
	if err := upgradeAllowed(now, target); err != nil {
		return err
	}
	if err := s.RequireRest(seen); err != nil {
		return err
	}
	patch, err := upgradePatch(now, target)
	if err != nil {
		return err
	}
	intent := runner.Intent{What: fmt.Sprintf("upgrade %s from %s to %s", seen.Reading.Object, now, target), Object: seen.Reading.Object, Token: target}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return s.p.patchCluster(ctx, factsOf(seen), patch, func(spec config.Spec) (bool, []string) { return spec.KubernetesVersion == target, nil })
	})
}

// upgradePatch tests for the version that the gate was asked about.
func upgradePatch(now, target string) ([]byte, error) {
	const path = "/spec/kubernetesVersion"
	return kube.JSONPatch(kube.Test(path, now), kube.Replace(path, target))
}

func (s *upgrade) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	target := s.p.options.KubernetesVersion
	if err := s.Guard.Judge(seen.Sighting()); err != nil {
		return migration.Braked(err), nil
	}
	if err := s.p.crashed(seen); err != nil {
		return migration.Failed(err), nil
	}
	if now := factsOf(seen).Cluster.Spec.KubernetesVersion; now != target {
		return migration.TakenBack(seen.Reading.Object, []string{"spec.kubernetesVersion is " + now}, factsOf(seen).Cluster.LastWriter), nil
	}
	open := append(rolledOut(seen, func(spec config.Spec) (bool, []string) {
		return spec.KubernetesVersion == target, []string{"spec.kubernetesVersion"}
	}), seen.Reading.NodesNotReady()...)
	open = append(open, seen.OpenCordons()...)
	done := 0
	for i := range seen.Reading.Down.Nodes {
		node := &seen.Reading.Down.Nodes[i]
		if node.Kubelet == target {
			done++
		} else {
			open = append(open, pending(kubeletNotUpgraded, subject{"Node", node.Name}, node.Kubelet))
		}
	}
	if len(open) > 0 {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "every kubelet to run " + target, Seen: SummariseUnrest(open),
			Progress: progress(seen) + fmt.Sprint(done), By: migration.ByRancher(), Done: done, Total: len(seen.Reading.Down.Nodes),
			Err: seen.Reading.HeldUpBy()}, nil
	}
	roll := &migration.Roll{WaitingFor: "every control plane to run one kube-controller-manager", Progress: progress(seen), Done: done, Total: done}
	if verdict, err := s.p.verdict(ctx, seen, roll); err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	if s.ImageDue(ctx, seen) {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager of the new version", Seen: "the old image is installed",
			Progress: "image", Done: done, Total: done}, nil
	}
	if verdict, err := s.JudgeRolledCCM(ctx, seen); err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	return s.Audited(ctx, seen, fmt.Sprintf("%d of %d kubelets run %s", done, done, target))
}

// Tend implements runner.Tender.
func (s *upgrade) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := s.RestoreUserCordons(ctx, tx, seen); err != nil {
		return err
	}
	return s.FollowImage(ctx, tx, seen)
}
