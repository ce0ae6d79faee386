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

// switchProvider makes every component external in one edit that also takes the
// flag away: a kube-controller-manager that is external and keeps the flag can
// hold the migration lease and run none of its controllers.
func switchProvider(early bool) editRules {
	paused := oneHandOver
	if early {
		paused = handOverIfLeft
	}
	return editRules{
		waitingFor:   "every machine to run with the external provider",
		rolledOut:    "%d of %d machines run with the external provider, no flag left",
		pauses:       paused,
		precondition: maySwitch,
		handedOver: func(roll *migration.RolloutJudgement, seen migration.Snapshot) {
			owner := seen.Reading.LeaseVerdict()
			if owner.Owner != lease.CCM || owner.Life != lease.Alive {
				roll.Wait("migration lease: %s", owner.Text())
			}
			for _, open := range guard.NewNodesOpen(seen) {
				roll.Wait("%s", open)
			}
			roll.Evidence = append(roll.Evidence, fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(owner.Holder)),
				"every Node kept its name, UID and ProviderID")
		},
		meanwhile: giveBackEarly,
	}
}

func maySwitch(ctx context.Context, m *Migration, seen migration.Snapshot) error {
	if err := guard.RequireSameControlPlanes(seen); err != nil {
		return err
	}
	if seen.Result.Position != position.P3 || seen.Result.Mixed {
		return &fault.Error{Class: fault.Stale, Reason: "NotReadyToSwitch", Object: seen.Reading.Object,
			Seen:   seen.Result.Summary,
			Wanted: position.P3.Summary() + ": with no cloud controller manager waiting for the lease another kube-controller-manager would take it back",
			Fix:    "run again: install-ccm comes first"}
	}
	return audit.RequireAlone(ctx, m.Access, seen)
}

// giveBackEarly gives cordons back as soon as every control plane is switched, while
// workers still roll. Where that cannot be seen of a control plane by itself, they
// are given back by the next step.
func giveBackEarly(ctx context.Context, m *Migration, tx *runner.Tx, seen migration.Snapshot) error {
	for _, k := range seen.Reading.KCMs {
		if k.Pod == nil || k.Mode() != component.External || !k.Ready {
			return nil
		}
	}
	return m.GiveBackCordons(ctx, tx, seen)
}

// switchBack makes every component in-tree again, the kube-controller-managers
// with the flag: one that starts without it runs the controllers beside the CCM.
// No restart is demanded, as it is forwards: an edit that is taken back before
// it has reached a machine changes nothing there.
func switchBack() editRules {
	return editRules{
		waitingFor:   "every machine to run with the in-tree provider",
		rolledOut:    "%d of %d machines run with the in-tree provider, every kube-controller-manager with the flag",
		pauses:       leadersMayRestart,
		precondition: func(_ context.Context, _ *Migration, seen migration.Snapshot) error { return mayComeBack(seen) },
		handedOver: func(roll *migration.RolloutJudgement, seen migration.Snapshot) {
			owner := seen.Reading.LeaseVerdict()
			if owner.Owner == lease.Nobody || owner.Life != lease.Alive {
				roll.Wait("migration lease: %s", owner.Text())
			}
			roll.Evidence = append(roll.Evidence, fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner))
		},
	}
}
