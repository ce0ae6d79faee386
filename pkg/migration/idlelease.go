package migration

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// idleLease watches one Lease until it can be nobody's.
type idleLease struct {
	mark  string
	still time.Time
}

// since says whether nobody wrote the lease for two lease durations and ten
// seconds, by our own clock. One that is not there is idle.
func (w *idleLease) since(last lease.Observation, clk clock.PassiveClock) bool {
	if !last.Exists {
		return true
	}
	if last.ResourceVersion != w.mark || w.still.IsZero() {
		w.mark, w.still = last.ResourceVersion, clk.Now()
		return false
	}
	return clk.Since(w.still) >= 2*last.Duration+10*time.Second
}

// removeLease deletes an idle Lease, if it is there.
func (c *Core) removeLease(ctx context.Context, tx *runner.Tx, seen Snapshot, name string) error {
	found := *seen.Reading.Down.Leases.Named(name)
	if !found.Exists {
		return nil
	}
	intent := journal.Intent{What: "delete the idle Lease kube-system/" + name, Object: "Lease kube-system/" + name}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return awsccm.DeleteIdleLease(ctx, c.Kube, name, found)
	})
}

// removeLeaseAndGrant takes away one of the two in each call: the migration lease
// first, so that a right is never gone while its lease could still be wanted.
func (c *Core) removeLeaseAndGrant(ctx context.Context, tx *runner.Tx, seen Snapshot) error {
	if seen.Reading.Down.Leases.Migration.Exists {
		return c.removeLease(ctx, tx, seen, wellknown.MigrationLease)
	}
	if !seen.Reading.Down.OwnGrant {
		return nil
	}
	intent := journal.Intent{What: "delete Role and RoleBinding kube-system/" + wellknown.Grant, Object: "Role kube-system/" + wellknown.Grant}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return awsccm.DeleteGrant(ctx, c.Kube)
	})
}
