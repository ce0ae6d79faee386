package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// upgradeKubernetes changes the version, in a separate edit with its own gate: Kubernetes 1.27
// has no in-tree provider to go back to. The CCM follows once every kubelet runs the target,
// and an audit ends the step.
func upgradeKubernetes(target string) editRules {
	return editRules{
		waitingFor:   "every kubelet to run " + target,
		proofFormat:  "%d of %d kubelets run " + target,
		addPauses:    addUpgradePauses,
		afterRollout: followUpgrade,
		whileWaiting: func(ctx context.Context, m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return m.Chart().FollowImage(ctx, tx, snap)
		},
	}
}

func followUpgrade(ctx context.Context, m *Migration, snap migration.Snapshot, rolled runner.Verdict) (runner.Verdict, error) {
	if verdict, err := m.Chart().JudgeImage(ctx, snap); err != nil || verdict.Kind != runner.Met {
		if verdict.Total == 0 { // the CCM's own update has not begun
			verdict.Done, verdict.Total = rolled.Done, rolled.Total
		}
		return verdict, err
	}
	return m.Audited(ctx, snap, rolled.Evidence...)
}
