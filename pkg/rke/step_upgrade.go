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
	s.compute = func(context.Context) (clusterfile.Edit, error) {
		return UpgradeEdit(p.facts.File, p.options.KubernetesVersion)
	}
	s.allowed = func(context.Context, *runner.Tx) error { return s.versionAllowed() }
	s.open = s.stillOpen
	return s
}

func (s *upgrade) versionAllowed() error {
	return migration.UpgradeAllowed(s.Reading.Version, s.p.options.KubernetesVersion, "-rancher")
}

// Plan implements runner.Step.
func (s *upgrade) Plan(ctx context.Context) (runner.Plan, error) {
	if err := s.versionAllowed(); err != nil {
		return runner.Plan{}, err
	}
	edit, err := s.compute(ctx)
	if err != nil {
		return runner.Plan{}, err
	}
	return s.p.planEdit(edit, "every component on every host", len(s.Reading.Members))
}

func (s *upgrade) stillOpen(roll *migration.Roll, tx *runner.Tx) {
	target := s.p.options.KubernetesVersion
	for i := range s.Reading.Down.Nodes {
		node := &s.Reading.Down.Nodes[i]
		if migration.SameVersion(node.Kubelet, target) {
			roll.Done++
		} else {
			roll.Wait("Node %s runs %s", node.Name, node.Kubelet)
		}
	}
	for _, open := range s.OpenCordons(tx.Record()) {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	roll.Evidence = []string{fmt.Sprintf("%d kubelets run %s", roll.Done, target)}
}

// Verify implements runner.Step: once every kubelet runs the target, the CCM
// follows, and an audit ends the step.
func (s *upgrade) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	verdict, err := s.change.Verify(ctx, tx)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	return s.followed(ctx, tx, verdict)
}

// followed judges what comes after the kubelets.
func (s *upgrade) followed(ctx context.Context, tx *runner.Tx, verdict runner.Verdict) (runner.Verdict, error) {
	if s.ImageDue(ctx) {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager of the new version", Seen: "the old image is installed", Progress: "image"}, nil
	}
	if rolled, err := s.JudgeRolledCCM(ctx); err != nil || rolled.Kind != runner.Met {
		return rolled, err
	}
	return s.Audited(ctx, tx, verdict.Evidence...)
}

// Tend implements runner.Tender. Taken up again, every kubelet may run the target
// while rke still has to run: the chart waits for a cluster at rest.
func (s *upgrade) Tend(ctx context.Context, tx *runner.Tx) error {
	if err := s.change.Tend(ctx, tx); err != nil || s.p.unfinished() != "" {
		return err
	}
	return s.FollowImage(ctx, tx)
}
