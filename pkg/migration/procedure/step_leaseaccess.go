package procedure

import (
	"context"
	"encoding/json"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// leaseAccess grants kube-controller-manager get and update on the migration lease. No
// bootstrap role of Kubernetes 1.22 to 1.30 has that right. Without it the flag of the next
// step silently stops service, route and cloud-node-lifecycle everywhere, while all components
// look healthy. The grant is a separate Role and RoleBinding; the guides' merge patch would
// replace the rules of a bootstrap role.
type leaseAccess struct{ base }

func (s *leaseAccess) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"+ Role, RoleBinding kube-system/" + wellknown.Grant}, Takes: 1,
		Changes: []runner.Change{{Object: "Role and RoleBinding kube-system/" + wellknown.Grant,
			After: "create leases; get, update, patch Lease " + wellknown.MigrationLease + "; for User " + wellknown.KCMUser,
			Diff:  "+ create leases\n+ get, update, patch lease " + wellknown.MigrationLease + "\n+ for User " + wellknown.KCMUser + "\n"}}}, nil
}

func (s *leaseAccess) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	inverse, err := json.Marshal(map[string]string{"delete": "Role, RoleBinding kube-system/" + wellknown.Grant})
	if err != nil {
		return err
	}
	intent := journal.Intent{Step: migration.StepLeaseAccess, What: "create Role and RoleBinding kube-system/" + wellknown.Grant,
		Object: "Role kube-system/" + wellknown.Grant, Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := awsccm.EnsureGrant(ctx, s.Kube)
		return err
	})
}

func (s *leaseAccess) Verify(ctx context.Context, _ *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if snap.Reading.Down.MayGet && snap.Reading.Down.MayUpdate {
		v := migration.Met(wellknown.KCMUser + " may get and update the migration lease")
		v.Stable = 1
		return v, nil
	}
	if !snap.Reading.Down.OwnGrant {
		return migration.Failed(&fault.Error{Class: fault.Stale, Reason: "GrantRemoved", Object: "Role kube-system/" + wellknown.Grant,
			Seen: "was removed again", Fix: "find out what removed it, then run again"}), nil
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: wellknown.KCMUser + " to be allowed get and update on the migration lease",
		Seen: "not allowed yet", Progress: "grant"}, nil
}

// undoAccess removes the migration lease, once no process can hold it, and our grant.
type undoAccess struct{ base }

func (s *undoAccess) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"− Lease, Role, RoleBinding"}, Takes: runner.Minute}, nil
}

func (s *undoAccess) Verify(ctx context.Context, _ *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := requireLeaseUnused(snap); err != nil {
		return migration.Failed(err), nil
	}
	if exists := snap.Reading.Leases.Migration.Last.Exists; exists || snap.Reading.Down.OwnGrant {
		left := "the lease is gone, the grant is still there"
		if exists {
			left = "the lease is still there: it is deleted once it is idle, and the grant after it"
		}
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the migration lease to be idle for two durations, then lease and grant to go", Seen: left, Progress: left}, nil
	}
	v := migration.Met("no migration lease, no grant left")
	v.Stable = 1
	return v, nil
}

// requireLeaseUnused refuses while any process could still need the lease.
func requireLeaseUnused(s migration.Snapshot) error {
	for _, k := range s.Reading.KCMs {
		if m := k.Mode(); m != component.InTree && m != component.External {
			return &fault.Error{Class: fault.Stale, Reason: "FlagStillThere", Object: k.Name(), Seen: k.Runs(),
				Wanted: "no enable-leader-migration on any", Fix: "run again: undo-enable-leader-migration comes first"}
		}
	}
	return requireNoCCM(s)
}

// WhileWaiting implements runner.WaitingStep.
func (s *undoAccess) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if err := requireLeaseUnused(snap); err != nil {
		return err
	}
	if !snap.Idle(wellknown.MigrationLease, snap.Reading.Leases.Migration.Last) {
		return nil
	}
	return s.removeLeaseAndGrant(ctx, tx, snap)
}

// removeLease deletes an idle Lease if it exists.
func (m *Migration) removeLease(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, name string) error {
	found := *snap.Reading.Down.Leases.Named(name)
	if !found.Exists {
		return nil
	}
	intent := journal.Intent{What: "delete the idle Lease kube-system/" + name, Object: "Lease kube-system/" + name}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return awsccm.DeleteIdleLease(ctx, m.Kube, name, found)
	})
}

// removeLeaseAndGrant removes one of the two in each call, the migration lease first: the grant
// must exist for as long as a process may need the lease.
func (m *Migration) removeLeaseAndGrant(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if snap.Reading.Down.Leases.Migration.Exists {
		return m.removeLease(ctx, tx, snap, wellknown.MigrationLease)
	}
	if !snap.Reading.Down.OwnGrant {
		return nil
	}
	intent := journal.Intent{What: "delete Role and RoleBinding kube-system/" + wellknown.Grant, Object: "Role kube-system/" + wellknown.Grant}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return awsccm.DeleteGrant(ctx, m.Kube)
	})
}
