package migration

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// settle is two durations of the CCM's own lease: one that crashes at start, or
// loses its lease, shows within it.
func (r Reading) settle() time.Duration {
	if held := r.Leases.CCM.Last.Duration; held > 0 {
		return 2 * held
	}
	return 2 * component.DefaultLeaseDuration
}

// install puts the CCM beside the kube-controller-managers. It takes its own
// lease and waits for the migration lease, which stays with them: with leader
// migration on both sides an early CCM runs nothing that they run.
type install struct {
	Base
	token string    // the pods and their restarts, as last seen
	since time.Time // since when they have been so
}

func (s *install) Plan(ctx context.Context, seen Snapshot) (runner.Plan, error) {
	return s.planChart(ctx, seen, true)
}

func (s *install) Do(ctx context.Context, tx *runner.Tx, seen Snapshot) error {
	if seen.Result.Position == position.P3 && !seen.Result.Mixed {
		return nil
	}
	for _, k := range seen.Reading.KCMs {
		if !k.Flagged() {
			return &fault.Error{Class: fault.Stale, Reason: "FlagMissing", Object: k.Name(),
				Seen: "has no enable-leader-migration", Wanted: "the flag on every one: without it, it runs service and route beside the CCM",
				Fix: "run again: enable-leader-migration comes first"}
		}
	}
	if err := s.RequireAlone(ctx, seen); err != nil {
		return err
	}
	return s.ApplyChart(ctx, tx, seen, true)
}

func (s *install) Verify(ctx context.Context, tx *runner.Tx, seen Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(seen.Sighting()); err != nil {
		return Braked(err), nil
	}
	verdict, err := s.judgeCCM(ctx, seen)
	if err != nil || verdict.Kind != runner.Met {
		s.token = ""
		return verdict, err
	}
	if token := verdict.Progress; token != s.token {
		s.token, s.since = token, seen.At
	}
	if seen.At.Sub(s.since) < seen.Reading.settle() {
		verdict.Kind = runner.Waiting
		verdict.WaitingFor = fmt.Sprintf("the same pods without a restart for %s", seen.Reading.settle())
		return verdict, nil
	}
	if open := seen.Reading.Unrest; len(open) > 0 {
		verdict.Kind, verdict.WaitingFor, verdict.Seen = runner.Waiting, "the cluster to come to rest", s.Side.Tell(open)
		verdict.Err = seen.Reading.HeldUpBy()
		return verdict, nil
	}
	owner := seen.Reading.LeaseVerdict()
	verdict.Evidence = append(verdict.Evidence, fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner))
	return verdict, nil
}

// judgeCCM says whether the CCM runs everywhere it should and leads, and if
// not, why.
func (c *Core) judgeCCM(ctx context.Context, seen Snapshot) (runner.Verdict, error) {
	roll, err := c.rollout(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	v := seen.byChart(runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager on every control plane",
		Seen: judged.Seen, Progress: judged.Token, Done: judged.Done, Total: judged.Total})
	if judged.State == rollout.Fault {
		return Failed(judged.Err), nil
	}
	if err := c.installJobFault(ctx, seen); err != nil {
		return Failed(err), nil
	}
	if judged.State != rollout.Ready {
		v.Counted = judged.Counted
		return v, nil
	}
	if err := c.missingRights(ctx, seen); err != nil {
		return Failed(err), nil
	}
	main := lease.JudgeMain(seen.Reading.Leases.CCM, seen.Reading.RenewDeadline())
	if main.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the cloud controller manager to take its own lease", fmt.Sprintf("Lease kube-system/%s: %s", wellknown.CCMLease, main.Life)
		return v, nil
	}
	owner := seen.Reading.LeaseVerdict()
	if (owner.Owner != lease.KCM && owner.Owner != lease.CCM) || owner.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the migration lease to be held and renewing", fmt.Sprintf("%s, %s", owner.Owner, owner.Life)
		return v, nil
	}
	v.Kind, v.Evidence = runner.Met, []string{judged.Seen + ", one of them leads"}
	return v, nil
}
