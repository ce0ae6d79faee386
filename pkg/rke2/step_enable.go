package rke2

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// enable adds enable-leader-migration to the effective arguments of every
// control plane's kube-controller-manager. Rancher's guide adds a selector
// entry, which replaces every argument that the machine had; here the place
// that wins is edited and nothing is lost.
type enable struct {
	base
	edit placed
}

func newEnable(b base) *enable {
	s := &enable{base: b}
	s.edit.compute = s.compute
	return s
}

func (s *enable) compute(seen migration.Snapshot, spec config.Spec) (config.Edit, error) {
	return config.EnableLeaderMigration(spec, factsOf(seen).editMachines())
}

func (s *enable) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	edit, err := s.compute(seen, factsOf(seen).Cluster.Spec)
	if err != nil {
		return runner.Plan{}, err
	}
	return planEdit(factsOf(seen), edit, factsOf(seen).Cluster.Spec)
}

func (s *enable) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	edit, err := s.compute(seen, factsOf(seen).Cluster.Spec)
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.RequireRest(seen); err != nil {
		return err
	}
	for _, k := range seen.Reading.KCMs {
		if k.Provider() != "aws" {
			return &fault.Error{Class: fault.Check, Reason: "NotInTree", Object: k.Name(),
				Seen: fmt.Sprintf("last --cloud-provider is %q", k.Provider()), Wanted: "aws: an external one with the flag would hold the migration lease and run nothing"}
		}
	}
	if !seen.Reading.Down.MayGet || !seen.Reading.Down.MayUpdate {
		return &fault.Error{Class: fault.Stale, Reason: "GrantMissing", Object: "Lease kube-system/" + wellknown.MigrationLease,
			Seen: wellknown.KCMUser + " may no longer get and update it", Fix: "run again: lease-access comes first"}
	}
	if err := s.RequireAlone(ctx, seen); err != nil {
		return err
	}
	if err := s.p.noteManifests(ctx, tx, seen); err != nil {
		return err
	}
	return s.p.writeEdit(ctx, tx, factsOf(seen), edit)
}

func (s *enable) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	roll, err := s.p.watchRoll(tx, seen, &s.edit, "every control plane to run with the flag")
	if err != nil || roll.Stopped() {
		return roll.Verdict(), err
	}
	for _, k := range seen.Reading.KCMs {
		switch {
		case !k.Ready:
			roll.Wait("%s is not Ready", k.Name())
		case !k.Flagged():
			roll.Wait("%s has no flag yet", k.Name())
		case !roll.restarted(k):
			roll.Wait("%s has not restarted since the edit", k.Name())
		default:
			roll.Done++
		}
	}
	roll.Total = seen.Reading.Planes()
	verdict := seen.Reading.LeaseVerdict()
	if verdict.Owner != lease.KCM || verdict.Life != lease.Alive {
		roll.Wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	roll.Evidence = []string{
		fmt.Sprintf("%d of %d control planes run with enable-leader-migration", roll.Done, roll.Total),
		fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(verdict.Holder)),
	}
	return s.p.verdict(ctx, seen, &roll.Roll)
}

// planEdit shows an edit and what it restarts.
func planEdit(f Facts, edit config.Edit, from config.Spec) (runner.Plan, error) {
	rolls, err := edit.Rolls(from, f.Configs())
	if err != nil {
		return runner.Plan{}, err
	}
	plan := runner.Plan{Rolls: len(rolls), Changes: changesOf(f.object(), edit), Notes: edit.Notes}
	for _, c := range edit.Changes {
		plan.Summary = append(plan.Summary, fmt.Sprintf("~ %s (+%d −%d)", c.Location, c.Added, c.Removed))
	}
	if len(rolls) > 0 {
		plan.Estimate = fmt.Sprintf("~%dm", 2*len(rolls))
	}
	return plan, nil
}
