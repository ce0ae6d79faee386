package procedure

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// switchProvider makes every component external in one edit that also removes the flag. An
// external kube-controller-manager with the flag can hold the migration lease and run none of
// its controllers.
func switchProvider(early bool) editRules {
	paused := addOneHandOver
	if early {
		paused = addPossibleHandOver
	}
	return editRules{
		waitingFor:   "every machine to run with the external provider",
		proofFormat:  "%d of %d machines run with the external provider, no flag left",
		addPauses:    paused,
		handsOver:    true,
		precondition: requireReadyToSwitch,
		judgeLease: func(roll *migration.RolloutJudgement, snap migration.Snapshot) {
			owner := snap.Reading.LeaseVerdict()
			if owner.Owner != lease.CCM || owner.Life != lease.Alive {
				roll.Wait("migration lease: %s", owner.Text())
			}
			for _, open := range guard.NewNodesOpen(snap) {
				roll.Wait("%s", open)
			}
			roll.Evidence = append(roll.Evidence, fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(owner.Holder)),
				"every Node kept its name, UID and ProviderID")
		},
		whileWaiting: uncordonEarly,
	}
}

func requireReadyToSwitch(ctx context.Context, m *Migration, snap migration.Snapshot) error {
	if err := guard.RequireSameControlPlanes(snap); err != nil {
		return err
	}
	if snap.Result.Position != position.P3 || snap.Result.Mixed {
		return &fault.Error{Class: fault.Stale, Reason: "NotReadyToSwitch", Object: snap.Reading.Object,
			Seen:   snap.Result.Summary,
			Wanted: position.P3.Summary() + ": without a cloud controller manager that waits for the lease, another kube-controller-manager would take it",
			Fix:    "run again: install-ccm comes first"}
	}
	return audit.RequireAlone(ctx, m.Access, snap)
}

// uncordonEarly uncordons as soon as every control plane is switched, while workers still roll.
// If no pod proves that for a control plane, the next step uncordons.
func uncordonEarly(ctx context.Context, m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
	for _, k := range snap.Reading.KCMs {
		if k.Pod == nil || k.Mode() != component.External || !k.Ready {
			return nil
		}
	}
	return m.GiveBackCordons(ctx, tx, snap)
}

// switchBack makes every component in-tree again, the kube-controller-managers with the flag:
// one without it runs the controllers in parallel to the CCM. Unlike the switch, it requires no
// restart: an edit that is undone before it has reached a machine changes nothing there.
func switchBack() editRules {
	return editRules{
		waitingFor:   "every machine to run with the in-tree provider",
		proofFormat:  "%d of %d machines run with the in-tree provider, every kube-controller-manager with the flag",
		addPauses:    addPossibleRestartPauses,
		precondition: func(_ context.Context, _ *Migration, snap migration.Snapshot) error { return requireLeaseHeld(snap) },
		judgeLease: func(roll *migration.RolloutJudgement, snap migration.Snapshot) {
			owner := snap.Reading.LeaseVerdict()
			if owner.Owner == lease.NoHolder || owner.Life != lease.Alive {
				roll.Wait("migration lease: %s", owner.Text())
			}
			roll.Evidence = append(roll.Evidence, fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner))
		},
	}
}
