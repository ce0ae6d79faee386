package rke2

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// disable takes leader migration away once nobody needs it: the chart without
// the flag, then the idle lease, then our grant. The lease is deleted only when
// it can be nobody's: deleting a live one gives some 12 seconds in which two
// processes run the same controllers.
type disable struct {
	base
	leaseMark  string
	leaseStill time.Time
}

func (s *disable) Plan(ctx context.Context) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"~ Helm release " + ccmName + " (flag off), − Lease, RoleBinding, Role"}, Estimate: "~3m",
		Notes: []string{"each leader that the rolling update replaces costs 13 to 24 s without the four controllers"}}
	if s.p.result.Position >= position.P3 && s.p.result.Position != position.Unknown {
		changes, err := s.p.planChart(ctx, false)
		if err != nil {
			return plan, err
		}
		plan.Changes = changes.Changes
	}
	return plan, nil
}

func (s *disable) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.read(ctx); err != nil {
		return err
	}
	if err := s.noneInTree(); err != nil {
		return err
	}
	return s.p.applyChart(ctx, tx, false)
}

// noneInTree refuses while a kube-controller-manager could still run the
// controllers: without the flag the CCM would run them beside it.
func (s *disable) noneInTree() error {
	for _, k := range s.p.view.KCMs() {
		if k.Pod == nil || k.Provider() != position.External || k.Flagged() {
			return &fault.Error{Class: fault.Stale, Reason: "StillInTree", Object: "kube-controller-manager of Machine " + k.Machine.Name,
				Seen: fmt.Sprintf("runs with provider %q, flag %t", k.Provider(), k.Flagged()), Wanted: "external without the flag on every control plane",
				Fix: "run again: switch-provider comes first"}
		}
	}
	return nil
}

// Tend implements runner.Tender: once no CCM with the flag is left in any
// phase, the lease and then the grant go.
func (s *disable) Tend(ctx context.Context, tx *runner.Tx) error {
	if err := s.noneInTree(); err != nil {
		return err
	}
	if evidence := s.p.view.ccmEvidence(); evidence.Migration || evidence.PodsWith > 0 || !evidence.Complete || !s.leaseIdle() {
		return nil
	}
	if object := s.p.view.Down.Leases[migrationLease]; object != nil {
		intent := runner.Intent{What: "delete the idle Lease kube-system/" + migrationLease, Object: "Lease kube-system/" + migrationLease}
		return tx.Effect(ctx, intent, func(ctx context.Context) error {
			return awsccm.DeleteIdleLease(ctx, s.p.clients.Downstream, object)
		})
	}
	if !s.p.view.Down.OwnGrant {
		return nil
	}
	intent := runner.Intent{What: "delete Role and RoleBinding kube-system/" + grantName, Object: "Role kube-system/" + grantName}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		return awsccm.DeleteGrant(ctx, s.p.clients.Downstream)
	})
}

// leaseIdle says whether nobody wrote the migration lease for two lease
// durations and ten seconds, by our own clock.
func (s *disable) leaseIdle() bool {
	last := s.p.view.Leases.Migration.Last
	if !last.Exists {
		return true
	}
	if last.ResourceVersion != s.leaseMark || s.leaseStill.IsZero() {
		s.leaseMark, s.leaseStill = last.ResourceVersion, s.p.clock.Now()
		return false
	}
	return s.p.clock.Since(s.leaseStill) >= 2*last.Duration+10*time.Second
}

func (s *disable) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	if err := s.p.read(ctx); err != nil {
		return runner.Verdict{}, err
	}
	sighting := s.p.sighting(tx)
	sighting.LeaseNeeded = false // its end is what this step is for
	if err := s.p.guard.Judge(sighting); err != nil {
		return brake(err), nil
	}
	if s.p.result.Position == position.P5 && !s.p.result.Mixed && len(s.p.view.AtRest()) == 0 {
		if verdict, err := s.p.judgeRolledCCM(ctx); err != nil || verdict.Kind != runner.Met {
			return verdict, err
		}
		return s.p.audited(ctx, tx, "the CCM runs without the flag", "no migration lease, no grant left")
	}
	idle := "gone"
	if s.p.view.Leases.Migration.Last.Exists {
		idle = "still there"
	}
	rollout, err := s.p.rollout(ctx)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := awsccm.JudgeDaemonSet(rollout)
	if judged.State == awsccm.RolloutFault {
		return failed(judged.Err), nil
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the CCM without the flag, then the idle lease and the grant to go",
		Seen:     fmt.Sprintf("%s; migration lease %s", judged.Seen, idle),
		Progress: judged.Token + idle + fmt.Sprint(s.p.view.Down.OwnGrant), Done: judged.Done, Total: judged.Total}, nil
}

// judgeRolledCCM is judgeCCM without the migration lease.
func (p *Procedure) judgeRolledCCM(ctx context.Context) (runner.Verdict, error) {
	rollout, err := p.rollout(ctx)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := awsccm.JudgeDaemonSet(rollout)
	switch judged.State {
	case awsccm.RolloutFault:
		return failed(judged.Err), nil
	case awsccm.RolloutReady:
		return met(judged.Seen), nil
	case awsccm.RolloutWaiting:
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the CCM's rolling update", Seen: judged.Seen,
		Progress: judged.Token, Done: judged.Done, Total: judged.Total}, nil
}
