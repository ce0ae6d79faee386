package migration

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// undoDisable gives the cloud controller manager its flag back, and with it the
// migration lease. Without this a kube-controller-manager that becomes in-tree
// again would take the idle lease and run its controllers beside a CCM that runs
// them under its main lease. In the CCM the migration lease follows the main one,
// so that no two of its pods run them while they are replaced
// (k8s.io/cloud-provider:app/controllermanager.go@v0.26.0).
type undoDisable struct{ Base }

func (s *undoDisable) Plan(ctx context.Context, seen Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"+ Role, RoleBinding kube-system/" + wellknown.Grant, "~ " + seen.chartName() + " (flag on)"}, Estimate: "~3m",
		Notes: []string{"each leader that the rolling update replaces costs 13 to 24 s without the four controllers"}}
	chart, err := s.planChart(ctx, seen, true)
	plan.Changes = chart.Changes
	return plan, err
}

func (s *undoDisable) Do(ctx context.Context, tx *runner.Tx, seen Snapshot) error {
	if err := seen.noneInTree(); err != nil {
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
	return s.ApplyChart(ctx, tx, seen, true)
}

func (s *undoDisable) Verify(ctx context.Context, tx *runner.Tx, seen Snapshot) (runner.Verdict, error) {
	sighting := seen.Sighting()
	sighting.LeaseNeeded = false // nobody has it before the first pod with the flag leads
	if err := s.Guard.Judge(sighting); err != nil {
		return Braked(err), nil
	}
	verdict, err := s.JudgeRolledCCM(ctx, seen)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	owner := seen.Reading.LeaseVerdict()
	if seen.Result.Position != position.P4 || seen.Result.Mixed || owner.Owner != lease.CCM || owner.Life != lease.Alive || len(seen.Reading.Unrest) > 0 {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to hold the migration lease and renew it",
			Seen: fmt.Sprintf("%s, %s; %s", owner.Owner, owner.Life, seen.Result.Summary), Progress: seen.Result.Summary + owner.Holder}, nil
	}
	return Met("the CCM runs with the flag, no pod without it is left",
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(owner.Holder))), nil
}
