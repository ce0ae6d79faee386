package migration

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// undoAccess removes the migration lease, once it can be nobody's, and our grant.
type undoAccess struct {
	Base
	idle idleLease
}

func (s *undoAccess) Plan(_ context.Context, seen Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"− Lease, Role, RoleBinding"}, Estimate: "~1m"}, nil
}

func (s *undoAccess) Verify(ctx context.Context, _ *runner.Tx, seen Snapshot) (runner.Verdict, error) {
	if err := seen.unused(); err != nil {
		return Failed(err), nil
	}
	if exists := seen.Reading.Leases.Migration.Last.Exists; exists || seen.Reading.Down.OwnGrant {
		left := fmt.Sprintf("lease there: %t, grant there: %t", exists, seen.Reading.Down.OwnGrant)
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the migration lease to be idle for two durations, then lease and grant to go", Seen: left, Progress: left}, nil
	}
	v := Met("no migration lease, no grant left")
	v.Stable = 1
	return v, nil
}

// unused refuses while any process could still want the lease.
func (s Snapshot) unused() error {
	for _, k := range s.Reading.KCMs {
		if !k.Known || k.Flagged() {
			return &fault.Error{Class: fault.Stale, Reason: "FlagStillThere", Object: k.Name(), Seen: fmt.Sprintf("known %t, flag %t", k.Known, k.Flagged()),
				Wanted: "no enable-leader-migration on any", Fix: "run again: undo-enable-leader-migration comes first"}
		}
	}
	return s.RequireNoCCM()
}

// Tend implements runner.Tender.
func (s *undoAccess) Tend(ctx context.Context, tx *runner.Tx, seen Snapshot) error {
	if err := seen.unused(); err != nil {
		return err
	}
	if !s.idle.since(seen.Reading.Leases.Migration.Last, s.Clock) {
		return nil
	}
	return s.removeLeaseAndGrant(ctx, tx, seen)
}
