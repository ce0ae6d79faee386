package procedure

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// enableLeaderMigration adds enable-leader-migration to the effective arguments of every
// kube-controller-manager.
func enableLeaderMigration() editRules {
	return editRules{
		waitingFor:   "every control plane to run with the flag",
		proofFormat:  "%d of %d control planes run with enable-leader-migration",
		addPauses:    addRestartPauses,
		precondition: requireInTree,
		judgeLease: func(roll *migration.RolloutJudgement, snap migration.Snapshot) {
			owner := snap.Reading.LeaseVerdict()
			if owner.Owner != lease.KCM || owner.Life != lease.Alive {
				roll.Wait("migration lease: %s", owner.Text())
			}
			roll.Evidence = append(roll.Evidence, fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(owner.Holder)))
		},
	}
}

func requireInTree(ctx context.Context, m *Migration, snap migration.Snapshot) error {
	for _, k := range snap.Reading.KCMs {
		if !k.Mode().IsInTree() {
			return &fault.Error{Class: fault.Check, Reason: "NotInTree", Object: k.Name(),
				Seen:   fmt.Sprintf("%s %q", snap.Reading.ProviderSource, k.Provider()),
				Wanted: "aws: an external one with the flag would hold the migration lease and run nothing"}
		}
	}
	if !snap.Reading.Down.MayGet || !snap.Reading.Down.MayUpdate {
		return &fault.Error{Class: fault.Stale, Reason: "GrantMissing", Object: "Lease kube-system/" + wellknown.MigrationLease,
			Seen: wellknown.KCMUser + " may no longer get and update it", Fix: "run again: lease-access comes first"}
	}
	return audit.RequireAlone(ctx, m.Access, snap)
}

// disableLeaderMigrationAgain removes the flag once only kube-controller-managers can run the
// controllers.
func disableLeaderMigrationAgain() editRules {
	return editRules{
		waitingFor:   "every control plane to run without the flag",
		proofFormat:  "%d of %d control planes run without enable-leader-migration",
		addPauses:    addRestartPauses,
		precondition: func(_ context.Context, _ *Migration, snap migration.Snapshot) error { return requireNoCCM(snap) },
		judgeLease: func(roll *migration.RolloutJudgement, snap migration.Snapshot) {
			main := lease.JudgeMain(snap.Reading.Leases.KCM, snap.Reading.RenewDeadline())
			if main.Life != lease.Alive {
				roll.Wait("Lease kube-system/%s: %s", wellknown.KCMLease, main.Life)
			}
			roll.Evidence = append(roll.Evidence, "kube-controller-manager leads: "+lease.Host(main.Holder))
		},
	}
}
