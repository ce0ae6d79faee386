package rke2

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// enable adds enable-leader-migration to the effective arguments of every
// control plane's kube-controller-manager. Rancher's guide adds a selector
// entry, which replaces every argument that the machine had; here the place
// that wins is edited and nothing is lost.
type enable struct{ base }

func (s *enable) compute(spec config.Spec) (config.Edit, error) {
	return config.EnableLeaderMigration(spec, s.p.view.editMachines())
}

func (s *enable) Plan(context.Context) (runner.Plan, error) {
	edit, err := s.compute(s.p.view.Cluster.Spec)
	if err != nil {
		return runner.Plan{}, err
	}
	return s.p.planEdit(edit, s.p.view.Cluster.Spec)
}

func (s *enable) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.read(ctx); err != nil {
		return err
	}
	edit, err := s.compute(s.p.view.Cluster.Spec)
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.p.requireRest(); err != nil {
		return err
	}
	for _, k := range s.p.view.KCMs() {
		if k.Provider() != "aws" {
			return &fault.Error{Class: fault.Check, Reason: "NotInTree", Object: "kube-controller-manager of " + k.Machine.Name,
				Seen: fmt.Sprintf("last --cloud-provider is %q", k.Provider()), Wanted: "aws: an external one with the flag would hold the migration lease and run nothing"}
		}
	}
	if !s.p.view.Down.MayGet || !s.p.view.Down.MayUpdate {
		return &fault.Error{Class: fault.Stale, Reason: "GrantMissing", Object: "Lease kube-system/" + migrationLease,
			Seen: kcmUser + " may no longer get and update it", Fix: "run again: lease-access comes first"}
	}
	if err := s.p.noteManifests(ctx, tx); err != nil {
		return err
	}
	return s.p.writeEdit(ctx, tx, edit)
}

func (s *enable) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	roll, err := s.p.watchRoll(ctx, tx, s.compute, "every control plane to run with the flag")
	if err != nil || roll.stop != nil {
		return roll.verdict(), err
	}
	for _, k := range s.p.view.KCMs() {
		switch {
		case !k.Running():
			roll.wait("kube-controller-manager of %s is not Ready", k.Machine.Name)
		case !k.Flagged():
			roll.wait("kube-controller-manager of %s has no flag yet", k.Machine.Name)
		case !roll.restarted(k):
			roll.wait("kube-controller-manager of %s has not restarted since the edit", k.Machine.Name)
		default:
			roll.done++
		}
	}
	roll.total = len(s.p.view.ControlPlanes())
	verdict := s.p.view.LeaseVerdict()
	if verdict.Owner != lease.KCM || verdict.Life != lease.Alive {
		roll.wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	roll.evidence = []string{
		fmt.Sprintf("%d of %d control planes run with enable-leader-migration", roll.done, roll.total),
		fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(verdict.Holder)),
	}
	return roll.verdict(), nil
}

// planEdit shows an edit and what it restarts.
func (p *Procedure) planEdit(edit config.Edit, from config.Spec) (runner.Plan, error) {
	rolls, err := edit.Rolls(from, p.view.Configs())
	if err != nil {
		return runner.Plan{}, err
	}
	plan := runner.Plan{Rolls: len(rolls), Changes: changesOf(p.view.object(), edit), Notes: edit.Notes}
	for _, c := range edit.Changes {
		added, removed := countLines(c.Diff)
		plan.Summary = append(plan.Summary, fmt.Sprintf("~ %s (+%d −%d)", c.Location, added, removed))
	}
	if len(rolls) > 0 {
		plan.Estimate = fmt.Sprintf("~%dm", 2*len(rolls))
	}
	return plan, nil
}

func countLines(diff string) (added, removed int) {
	for _, line := range strings.Split(diff, "\n") {
		line = strings.TrimPrefix(line, "  ") // config's diffs are indented by two
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
