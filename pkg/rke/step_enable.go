package rke

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// enable adds enable-leader-migration to the kube-controller-manager's
// extra_args, one line, and has rke restart that one container on every control
// plane.
type enable struct{ change }

func newEnable(b migration.Base, p *Procedure) *enable {
	s := &enable{change{Base: b, p: p, wait: "every kube-controller-manager to run with the flag"}}
	s.compute = func(_ context.Context, seen migration.Snapshot) (clusterfile.Edit, error) {
		return EnableEdit(factsOf(seen).File)
	}
	s.allowed, s.open = s.mayWrite, s.stillOpen
	return s
}

// Plan implements runner.Step.
func (s *enable) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	edit, err := s.compute(ctx, seen)
	if err != nil {
		return runner.Plan{}, err
	}
	return s.p.planEdit(seen, edit, "kube-controller-manager on every control plane, one after the other", seen.Reading.Planes())
}

func (s *enable) mayWrite(ctx context.Context, seen migration.Snapshot) error {
	if !seen.Reading.Down.MayGet || !seen.Reading.Down.MayUpdate {
		return &fault.Error{Class: fault.Stale, Reason: "GrantMissing", Object: "Lease kube-system/" + wellknown.MigrationLease,
			Seen: wellknown.KCMUser + " may no longer get and update it", Fix: "run again: lease-access comes first"}
	}
	if err := requireInTree(seen); err != nil {
		return err
	}
	return s.RequireAlone(ctx, seen)
}

func (s *enable) stillOpen(roll *migration.Roll, seen migration.Snapshot) {
	for _, k := range seen.Reading.KCMs {
		if !k.Flagged() {
			roll.Wait("rke's state shows no flag yet")
			break
		}
	}
	verdict := seen.Reading.LeaseVerdict()
	if verdict.Owner != lease.KCM || verdict.Life != lease.Alive {
		roll.Wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	for _, open := range seen.OpenCordons() {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
	roll.Done = seen.Reading.Planes()
	roll.Evidence = []string{
		fmt.Sprintf("%s; rke's state shows enable-leader-migration for %d control planes", s.p.applied, roll.Done),
		fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(verdict.Holder)),
	}
}
