package procedure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/release"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// settleTime returns two durations of the CCM's own lease. A CCM that crashes at start, or
// loses its lease, does so within that time.
func settleTime(r migration.Reading) time.Duration {
	if held := r.Leases.CCM.Last.Duration; held > 0 {
		return 2 * held
	}
	return 2 * component.DefaultLeaseDuration
}

// install installs the CCM next to the kube-controller-managers. It takes its own lease and
// waits for the migration lease, which they keep. With leader migration on both sides, an early
// CCM runs none of their controllers. After the switch the step updates a CCM that is older than
// the API servers, as an upgrade does at its end.
type install struct{ base }

func (s *install) Plan(ctx context.Context, snap migration.Snapshot) (runner.Plan, error) {
	if snap.Switched() {
		return s.Chart().Plan(ctx, snap, snap.Reading.CCMEvidence().Migration)
	}
	return s.Chart().Plan(ctx, snap, true)
}

func (s *install) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if snap.Switched() {
		return s.Chart().FollowImage(ctx, tx, snap)
	}
	// Helm continues after a failed request, so the DaemonSet of our own installation may run
	// without a Role. Only a second installation creates that.
	if snap.Result.Position == position.P3 && !snap.Result.Mixed && !snap.Record.Begun(migration.StepInstall) {
		return nil
	}
	for _, k := range snap.Reading.KCMs {
		if !k.Mode().IsMigrating() {
			return &fault.Error{Class: fault.Stale, Reason: "FlagMissing", Object: k.Name(),
				Seen: "has no enable-leader-migration", Wanted: "the flag on every kube-controller-manager: one without it runs service and route next to the CCM",
				Fix: "run again: enable-leader-migration comes first"}
		}
	}
	if err := audit.RequireAlone(ctx, s.Access, snap); err != nil {
		return err
	}
	return s.Chart().Apply(ctx, tx, snap, true)
}

func (s *install) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(guard.SignalsOf(snap)); err != nil {
		return migration.MustPause(err), nil
	}
	if err := s.requireDecision(snap); err != nil {
		return migration.Failed(err), nil
	}
	judge := s.Chart().Judge
	if snap.Switched() {
		judge = s.Chart().JudgeImage
	}
	verdict, err := judge(ctx, snap)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	verdict.Steady = runner.Steady{For: settleTime(snap.Reading), What: fmt.Sprintf("the same pods without a restart for %s", settleTime(snap.Reading))}
	if pending := snap.Reading.Pending; len(pending) > 0 {
		verdict.Kind, verdict.WaitingFor, verdict.Seen = runner.Waiting, "the cluster to be at rest", migration.SummarizePending(pending)
		verdict.Err = snap.Reading.HeldUpBy()
		return verdict, nil
	}
	owner := snap.Reading.LeaseVerdict()
	verdict.Evidence = append(verdict.Evidence, fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner))
	return verdict, nil
}

// WhileWaiting implements runner.WaitingStep: it updates the CCM once the cluster is at rest.
func (s *install) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if !snap.Switched() {
		return nil
	}
	return s.Chart().FollowImage(ctx, tx, snap)
}

// undoInstall removes the CCM. Every kube-controller-manager is in-tree with the flag at this
// point, and their leader waits for the migration lease.
type undoInstall struct{ base }

func (s *undoInstall) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"− " + chart.Name(snap)}, Takes: 2 * runner.Minute}
	addOneHandOver(&plan, snap)
	return plan, nil
}

func (s *undoInstall) Do(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	// The document may exist before any object of its chart.
	if isCCMGone(snap) && !snap.Reading.Down.Record && snap.InstallMethod != migration.InstallManifest {
		return nil
	}
	if err := requireTakeover(snap); err != nil {
		return err
	}
	if err := s.requireRestOrOurPause(snap); err != nil {
		return err
	}
	if snap.InstallMethod == migration.InstallManifest {
		edit, err := s.Backend.Document(snap, "")
		if err != nil || edit.Empty() {
			return err
		}
		return edit.Write(ctx, tx)
	}
	return s.uninstall(ctx, tx)
}

// requireTakeover refuses to remove a CCM if a kube-controller-manager is not ready to take
// over.
func requireTakeover(s migration.Snapshot) error {
	if isCCMGone(s) {
		return nil
	}
	for _, k := range s.Reading.KCMs {
		if k.Mode() != component.InTreeMigrating || !k.Ready {
			return &fault.Error{Class: fault.Stale, Reason: "NobodyToHandOverTo", Object: k.Name(),
				Seen: fmt.Sprintf("%s, Ready is %t", k.Runs(), k.Ready), Wanted: "in-tree with leader migration, and Ready, on every control plane",
				Fix: "run again: undo-switch-provider comes first"}
		}
	}
	return nil
}

func (s *undoInstall) uninstall(ctx context.Context, tx *runner.Tx) error {
	installer, err := release.NewInstaller(s.Config, nil, s.Clock)
	if err != nil {
		return err
	}
	inverse, err := json.Marshal(map[string]any{"release": wellknown.CCM, "leaderMigration": true})
	if err != nil {
		return err
	}
	intent := journal.Intent{What: "uninstall Helm release kube-system/" + wellknown.CCM, Object: "Helm release kube-system/" + wellknown.CCM, Inverse: inverse}
	return tx.Effect(ctx, intent, installer.Uninstall)
}

func isCCMGone(s migration.Snapshot) bool {
	return s.Reading.Down.CCM == nil && len(s.Reading.Down.CCMPods) == 0
}

func (s *undoInstall) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(guard.SignalsOf(snap)); err != nil {
		return migration.MustPause(err), nil
	}
	owner := snap.Reading.LeaseVerdict()
	var missing []string
	wait := func(yes bool, format string, args ...any) {
		if yes {
			missing = append(missing, fmt.Sprintf(format, args...))
		}
	}
	wait(snap.Reading.Down.CCM != nil, "DaemonSet kube-system/%s is still there", wellknown.CCM)
	wait(len(snap.Reading.Down.CCMPods) > 0, "%d of its pods are still there", len(snap.Reading.Down.CCMPods))
	wait(snap.Result.Position >= position.P2 && (owner.Owner != lease.KCM || owner.Life != lease.Alive), "migration lease: %s", owner.Text())
	wait(chart.LeaseLeft(snap.Reading), "the CCM's own Lease kube-system/%s is not idle for long enough to be removed", wellknown.CCMLease)
	for _, u := range snap.Reading.Pending {
		wait(!u.OurPause, "%s %s", u.Object, u.Seen)
	}
	wait(snap.Reading.Down.Record, "%s is recorded still", chart.HelmObject)
	if len(missing) > 0 {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to go, and a kube-controller-manager to take the migration lease",
			Seen: strings.Join(missing, "; "), Progress: strings.Join(missing, "; ")}, nil
	}
	return migration.Met("no cloud controller manager is left", fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(owner.Holder))), nil
}

// WhileWaiting implements runner.WaitingStep.
func (s *undoInstall) WhileWaiting(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if !isCCMGone(snap) || !chart.LeaseLeft(snap.Reading) || !snap.Idle(wellknown.CCMLease, snap.Reading.Leases.CCM.Last) {
		return nil
	}
	return s.removeLease(ctx, tx, snap, wellknown.CCMLease)
}
