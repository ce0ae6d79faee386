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

// enableLeaderMigration adds enable-leader-migration to the arguments in force of
// every kube-controller-manager.
func enableLeaderMigration() editRules {
	return editRules{
		waitingFor:   "every control plane to run with the flag",
		rolledOut:    "%d of %d control planes run with enable-leader-migration",
		pauses:       leadersRestart,
		precondition: mayEnable,
		handedOver: func(roll *migration.RolloutJudgement, seen migration.Snapshot) {
			owner := seen.Reading.LeaseVerdict()
			if owner.Owner != lease.KCM || owner.Life != lease.Alive {
				roll.Wait("migration lease: %s", owner.Text())
			}
			roll.Evidence = append(roll.Evidence, fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(owner.Holder)))
		},
	}
}

func mayEnable(ctx context.Context, m *Migration, seen migration.Snapshot) error {
	for _, k := range seen.Reading.KCMs {
		if !k.Mode().IsInTree() {
			return &fault.Error{Class: fault.Check, Reason: "NotInTree", Object: k.Name(),
				Seen:   fmt.Sprintf("%s %q", seen.Reading.ProviderSource, k.Provider()),
				Wanted: "aws: an external one with the flag would hold the migration lease and run nothing"}
		}
	}
	if !seen.Reading.Down.MayGet || !seen.Reading.Down.MayUpdate {
		return &fault.Error{Class: fault.Stale, Reason: "GrantMissing", Object: "Lease kube-system/" + wellknown.MigrationLease,
			Seen: wellknown.KCMUser + " may no longer get and update it", Fix: "run again: lease-access comes first"}
	}
	return audit.RequireAlone(ctx, m.Access, seen)
}

// disableLeaderMigrationAgain takes the flag away, once nothing but
// kube-controller-managers can run the controllers.
func disableLeaderMigrationAgain() editRules {
	return editRules{
		waitingFor:   "every control plane to run without the flag",
		rolledOut:    "%d of %d control planes run without enable-leader-migration",
		pauses:       leadersRestart,
		precondition: func(_ context.Context, _ *Migration, seen migration.Snapshot) error { return requireNoCCM(seen) },
		handedOver: func(roll *migration.RolloutJudgement, seen migration.Snapshot) {
			main := lease.JudgeMain(seen.Reading.Leases.KCM, seen.Reading.RenewDeadline())
			if main.Life != lease.Alive {
				roll.Wait("Lease kube-system/%s: %s", wellknown.KCMLease, main.Life)
			}
			roll.Evidence = append(roll.Evidence, "kube-controller-manager leads: "+lease.Host(main.Holder))
		},
	}
}
