package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// upgradeKubernetes changes the version, in an edit of its own behind its own gate:
// with 1.27 there is no in-tree provider left to go back to. The CCM follows once
// every kubelet runs the target, and an audit ends the step.
func upgradeKubernetes(target string) editRules {
	return editRules{
		waitingFor: "every kubelet to run " + target,
		rolledOut:  "%d of %d kubelets run " + target,
		pauses:     eachUpdated,
		then:       followUpgrade,
		meanwhile: func(ctx context.Context, m *Migration, tx *runner.Tx, seen migration.Snapshot) error {
			return m.Chart().FollowImage(ctx, tx, seen)
		},
	}
}

func followUpgrade(ctx context.Context, m *Migration, seen migration.Snapshot, rolled runner.Verdict) (runner.Verdict, error) {
	if m.Chart().ImageDue(ctx, seen) {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager of the new version", Seen: "the old image is installed",
			Progress: "image", Done: rolled.Done, Total: rolled.Total}, nil
	}
	if verdict, err := m.Chart().JudgeRolled(ctx, seen); err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	return m.Audited(ctx, seen, rolled.Evidence...)
}
