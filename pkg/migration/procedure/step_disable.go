package procedure

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// disable takes leader migration away once nobody needs it: the chart without
// the flag, then the idle lease, then our grant. The lease is deleted only when
// it can be nobody's: deleting a live one gives some 12 seconds in which two
// processes run the same controllers.
type disable struct{ base }

func (s *disable) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"~ " + chart.Name(seen) + " (flag off), − Lease, RoleBinding, Role"}, Takes: 3 * runner.Minute}
	eachLeader(&plan, seen)
	compute := s.Chart().Plan
	if seen.Result.Position == position.Unknown || seen.Result.Position < position.P3 {
		compute = s.Chart().PlanAfterInstall
	}
	changes, err := compute(ctx, seen, false)
	if err != nil {
		return plan, err
	}
	plan.Changes = changes.Changes
	return plan, nil
}

func (s *disable) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := noneInTree(seen); err != nil {
		return err
	}
	return s.Chart().Apply(ctx, tx, seen, false)
}

// noneInTree refuses while a kube-controller-manager could still run the
// controllers: without the flag the CCM would run them beside it.
func noneInTree(s migration.Snapshot) error {
	for _, k := range s.Reading.KCMs {
		if k.Mode() != component.External {
			return &fault.Error{Class: fault.Stale, Reason: "StillInTree", Object: k.Name(),
				Seen: k.Runs(), Wanted: "external without the flag on every control plane",
				Fix: "run again: switch-provider comes first"}
		}
	}
	return nil
}

// WhileWaiting implements runner.WaitingStep: once no CCM with the flag is left in any
// phase, the lease and then the grant go.
func (s *disable) WhileWaiting(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := noneInTree(seen); err != nil {
		return err
	}
	if evidence := seen.Reading.CCMEvidence(); evidence.Migration || evidence.PodsWith > 0 || !evidence.Complete || !seen.Idle(wellknown.MigrationLease, seen.Reading.Leases.Migration.Last) {
		return nil
	}
	return s.removeLeaseAndGrant(ctx, tx, seen)
}

func (s *disable) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(signalsOf(s.ID, seen)); err != nil {
		return migration.Braked(err), nil
	}
	if err := s.Guard.KeepRestarts(ctx, tx, seen); err != nil {
		return runner.Verdict{}, err
	}
	if seen.Result.Position == position.P5 && !seen.Result.Mixed && len(seen.Reading.Pending) == 0 {
		if verdict, err := s.Chart().JudgeRolled(ctx, seen); err != nil || verdict.Kind != runner.Met {
			return verdict, err
		}
		if verdict := awaitLeader(seen); verdict != nil {
			return *verdict, nil
		}
		return s.Audited(ctx, seen, "the CCM runs without the flag", "no migration lease, no grant left")
	}
	idle := "gone"
	if seen.Reading.Leases.Migration.Last.Exists {
		idle = "still there"
	}
	roll, err := s.Chart().Rollout(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	if judged.State == rollout.Fault {
		return migration.Failed(judged.Err), nil
	}
	return chart.ByChart(seen, runner.Verdict{Kind: runner.Waiting, WaitingFor: "the CCM without the flag, then the idle lease and the grant to go",
		Seen:     fmt.Sprintf("%s; migration lease %s", judged.Seen, idle),
		Progress: judged.Token + idle + fmt.Sprint(seen.Reading.Down.OwnGrant), Done: judged.Done, Total: judged.Total, Counted: judged.Counted}), nil
}

// awaitLeader returns a verdict that waits while no CCM renews its main lease, or nil. A pod
// that ends can take that lease in its last seconds; the others wait until it has expired.
func awaitLeader(seen migration.Snapshot) *runner.Verdict {
	main := lease.JudgeMain(seen.Reading.Leases.CCM, seen.Reading.RenewDeadline())
	if main.Life == lease.Alive {
		return nil
	}
	return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "a CCM to lead", Seen: "main lease: " + main.Text(), Progress: main.Holder}
}

// undoDisable gives the cloud controller manager its flag back, and with it the
// migration lease. Without this a kube-controller-manager that becomes in-tree
// again would take the idle lease and run its controllers beside a CCM that runs
// them under its main lease. In the CCM the migration lease follows the main one,
// so that no two of its pods run them while they are replaced
// (k8s.io/cloud-provider:app/controllermanager.go@v0.26.0).
type undoDisable struct{ base }

func (s *undoDisable) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"+ Role, RoleBinding kube-system/" + wellknown.Grant, "~ " + chart.Name(seen) + " (flag on)"}, Takes: 3 * runner.Minute}
	eachLeader(&plan, seen)
	chart, err := s.Chart().Plan(ctx, seen, true)
	plan.Changes = chart.Changes
	return plan, err
}

func (s *undoDisable) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := noneInTree(seen); err != nil {
		return err
	}
	if !seen.Reading.Down.MayGet || !seen.Reading.Down.MayUpdate {
		intent := journal.Intent{What: "create Role and RoleBinding kube-system/" + wellknown.Grant, Object: "Role kube-system/" + wellknown.Grant}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.EnsureGrant(ctx, s.Kube)
			return err
		}); err != nil {
			return err
		}
	}
	return s.Chart().Apply(ctx, tx, seen, true)
}

func (s *undoDisable) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(signalsOf(s.ID, seen)); err != nil {
		return migration.Braked(err), nil
	}
	verdict, err := s.Chart().JudgeRolled(ctx, seen)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	owner := seen.Reading.LeaseVerdict()
	if seen.Result.Position != position.P4 || seen.Result.Mixed || owner.Owner != lease.CCM || owner.Life != lease.Alive || len(seen.Reading.Pending) > 0 {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to hold the migration lease and renew it",
			Seen: fmt.Sprintf("migration lease: %s; %s", owner.Text(), seen.Result.Summary), Progress: seen.Result.Summary + owner.Holder}, nil
	}
	return migration.Met("the CCM runs with the flag, no pod without it is left",
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(owner.Holder))), nil
}
