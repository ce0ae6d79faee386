package procedure

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/migration/replace"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// disable removes leader migration once no process needs it: the flag from the chart, then the
// idle lease, then our grant. It deletes the lease only if no process can hold it. Without a
// live lease, two processes would run the same controllers for some 12 seconds.
type disable struct{ base }

func (s *disable) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"~ " + chart.Name(snap) + " (flag off), − Lease, RoleBinding, Role"}, Takes: runner.Minute}
	return s.planFlag(ctx, snap, plan, false, snap.Result.Position == position.Unknown || snap.Result.Position < position.P3)
}

func (s *disable) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if err := requireExternal(snap); err != nil {
		return err
	}
	return s.applyFlag(ctx, tx, snap, false)
}

// requireExternal refuses while a kube-controller-manager could still run the controllers: a
// CCM without the flag would run them, too.
func requireExternal(s migration.Snapshot) error {
	for _, k := range s.Reading.KCMs {
		if k.Mode() != component.External {
			return &fault.Error{Class: fault.Stale, Reason: "StillInTree", Object: k.Name(),
				Seen: k.Runs(), Wanted: "external without the flag on every control plane",
				Fix: "run again: switch-provider comes first"}
		}
	}
	return nil
}

// awaitManagers returns a waiting verdict while the arguments of a kube-controller-manager are not
// visible, as when its machine starts, or nil. Nothing is replaced or removed meanwhile.
func awaitManagers(snap migration.Snapshot) *runner.Verdict {
	for _, k := range snap.Reading.KCMs {
		if k.Mode() == component.ModeUnknown {
			return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "every kube-controller-manager to show its arguments", Seen: k.Name() + " runs " + k.Runs(), Progress: k.Name()}
		}
	}
	return nil
}

// WhileWaiting implements runner.WaitingStep: it replaces the pods, and removes the lease and
// then the grant once no CCM pod with the flag is left in any phase. The lease must be idle
// unless the run has seen the end of each process that could hold it.
func (s *disable) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if awaitManagers(snap) != nil {
		return nil
	}
	if err := requireExternal(snap); err != nil {
		return err
	}
	if busy, err := s.replaceNext(ctx, tx, snap, false); busy || err != nil {
		return err
	}
	if evidence := snap.Reading.CCMEvidence(); evidence.Migration || evidence.PodsWith > 0 || !evidence.Complete ||
		!snap.Idle(wellknown.MigrationLease, snap.Reading.Leases.Migration.Last) && !s.flaggedEnded(snap.Reading) {
		return nil
	}
	if err := s.restoreStrategy(ctx, tx, snap, false); err != nil {
		return err
	}
	return s.removeLeaseAndGrant(ctx, tx, snap)
}

func (s *disable) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(signalsOf(s.ID, snap)); err != nil {
		return guardVerdict(err, "nothing is paused"), nil
	}
	if err := s.requireDecision(snap); err != nil {
		return migration.Failed(err), nil
	}
	if err := s.Guard.KeepRestarts(ctx, tx, snap); err != nil {
		return runner.Verdict{}, err
	}
	if verdict := awaitManagers(snap); verdict != nil {
		return *verdict, nil
	}
	if snap.Result.Position == position.P5 && !snap.Result.Mixed && len(snap.Reading.Pending) == 0 {
		if verdict, err := s.Chart().JudgeRolled(ctx, snap); err != nil || verdict.Kind != runner.Met {
			return verdict, err
		}
		return s.Audited(ctx, snap, "the CCM runs without the flag", "no migration lease, no grant left")
	}
	idle := "gone"
	if snap.Reading.Leases.Migration.Last.Exists {
		idle = "still there"
	}
	roll, err := s.Chart().Rollout(ctx, snap)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := rollout.Judge(roll)
	if judged.State == rollout.Fault {
		return migration.Failed(judged.Err), nil
	}
	waits := runner.Verdict{Kind: runner.Waiting, WaitingFor: "the CCM without the flag, then the idle lease and the grant to go",
		Seen:     fmt.Sprintf("%s; migration lease %s", judged.Seen, idle),
		Progress: judged.Token + idle + fmt.Sprint(snap.Reading.Down.OwnGrant), Done: judged.Done, Total: judged.Total, Counted: judged.Counted}
	return withReplacement(chart.ByChart(snap, waits), snap.Reading, false), nil
}

// undoDisable sets the flag of the CCM again, and so gives it the migration lease. Otherwise a
// kube-controller-manager that becomes in-tree again would take the idle lease and run its
// controllers next to a CCM that runs them under its main lease. In the CCM the migration lease
// follows the main one, so no two pods run them during a replacement
// (k8s.io/cloud-provider:app/controllermanager.go@v0.26.0).
type undoDisable struct{ base }

func (s *undoDisable) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"+ Role, RoleBinding kube-system/" + wellknown.Grant, "~ " + chart.Name(snap) + " (flag on)"}, Takes: runner.Minute}
	return s.planFlag(ctx, snap, plan, true, false)
}

func (s *undoDisable) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if err := requireExternal(snap); err != nil {
		return err
	}
	if !snap.Reading.Down.MayGet || !snap.Reading.Down.MayUpdate {
		intent := journal.Intent{What: "create Role and RoleBinding kube-system/" + wellknown.Grant, Object: "Role kube-system/" + wellknown.Grant}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.EnsureGrant(ctx, s.Kube)
			return err
		}); err != nil {
			return err
		}
	}
	return s.applyFlag(ctx, tx, snap, true)
}

// WhileWaiting implements runner.WaitingStep: it replaces the pods.
func (s *undoDisable) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if awaitManagers(snap) != nil {
		return nil
	}
	if err := requireExternal(snap); err != nil {
		return err
	}
	if busy, err := s.replaceNext(ctx, tx, snap, true); busy || err != nil || len(replace.Left(snap.Reading, true)) > 0 {
		return err
	}
	return s.restoreStrategy(ctx, tx, snap, true)
}

func (s *undoDisable) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(signalsOf(s.ID, snap)); err != nil {
		return migration.MustPause(err), nil
	}
	if verdict := awaitManagers(snap); verdict != nil {
		return *verdict, nil
	}
	verdict, err := s.Chart().JudgeRolled(ctx, snap)
	if err != nil || verdict.Kind != runner.Met {
		return withReplacement(verdict, snap.Reading, true), err
	}
	owner := snap.Reading.LeaseVerdict()
	if snap.Reading.Down.CCM.OnDelete || snap.Result.Position != position.P4 || snap.Result.Mixed || owner.Owner != lease.CCM || owner.Life != lease.Alive || len(snap.Reading.Pending) > 0 {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to hold the migration lease and renew it",
			Seen: fmt.Sprintf("migration lease: %s; %s", owner.Text(), snap.Result.Summary), Progress: snap.Result.Summary + owner.Holder}, nil
	}
	return migration.Met("the CCM runs with the flag, no pod without it is left",
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(owner.Holder))), nil
}
