package rke

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// upgrade changes kubernetes_version, in a run of rke of its own behind its own
// gate: with 1.27 there is no in-tree provider left to go back to.
type upgrade struct{ change }

func newUpgrade(b migration.Base, p *Procedure) *upgrade {
	s := &upgrade{change{Base: b, p: p, wait: "every kubelet to run " + p.options.KubernetesVersion}}
	s.compute = func(_ context.Context, seen migration.Snapshot) (clusterfile.Edit, error) {
		return UpgradeEdit(factsOf(seen).File, p.options.KubernetesVersion)
	}
	s.allowed = func(_ context.Context, seen migration.Snapshot) error { return s.versionAllowed(seen) }
	s.open = s.stillOpen
	return s
}

func (s *upgrade) versionAllowed(seen migration.Snapshot) error {
	return migration.UpgradeAllowed(seen.Reading.Version, s.p.options.KubernetesVersion, "-rancher")
}

// Plan implements runner.Step.
func (s *upgrade) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	if err := s.versionAllowed(seen); err != nil {
		return runner.Plan{}, err
	}
	edit, err := s.compute(ctx, seen)
	if err != nil {
		return runner.Plan{}, err
	}
	return s.p.planEdit(seen, edit, "every component on every host", len(seen.Reading.Members))
}

func (s *upgrade) stillOpen(roll *migration.Roll, seen migration.Snapshot) {
	target := s.p.options.KubernetesVersion
	for i := range seen.Reading.Down.Nodes {
		node := &seen.Reading.Down.Nodes[i]
		if migration.SameVersion(node.Kubelet, target) {
			roll.Done++
		} else {
			roll.Wait("Node %s runs %s", node.Name, node.Kubelet)
		}
	}
	for _, open := range seen.OpenCordons() {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	roll.Evidence = []string{fmt.Sprintf("%d kubelets run %s", roll.Done, target)}
}

// Verify implements runner.Step: once every kubelet runs the target, the CCM
// follows, and an audit ends the step.
func (s *upgrade) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	verdict, err := s.change.Verify(ctx, tx, seen)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	return s.followed(ctx, seen, verdict)
}

// followed judges what comes after the kubelets.
func (s *upgrade) followed(ctx context.Context, seen migration.Snapshot, verdict runner.Verdict) (runner.Verdict, error) {
	if s.ImageDue(ctx, seen) {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager of the new version", Seen: "the old image is installed", Progress: "image"}, nil
	}
	if rolled, err := s.JudgeRolledCCM(ctx, seen); err != nil || rolled.Kind != runner.Met {
		return rolled, err
	}
	return s.Audited(ctx, seen, verdict.Evidence...)
}

// Tend implements runner.Tender. Taken up again, every kubelet may run the target
// while rke still has to run: the chart waits for a cluster at rest.
func (s *upgrade) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := s.change.Tend(ctx, tx, seen); err != nil || unfinished(seen) != "" {
		return err
	}
	return s.FollowImage(ctx, tx, seen)
}
