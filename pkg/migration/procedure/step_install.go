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

// settle is two durations of the CCM's own lease: one that crashes at start, or
// loses its lease, shows within it.
func settleTime(r migration.Reading) time.Duration {
	if held := r.Leases.CCM.Last.Duration; held > 0 {
		return 2 * held
	}
	return 2 * component.DefaultLeaseDuration
}

// install puts the CCM beside the kube-controller-managers. It takes its own
// lease and waits for the migration lease, which stays with them: with leader
// migration on both sides an early CCM runs nothing that they run.
type install struct{ base }

func (s *install) Plan(ctx context.Context, seen migration.Snapshot) (runner.Plan, error) {
	return s.Chart().Plan(ctx, seen, true)
}

func (s *install) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if seen.Result.Position == position.P3 && !seen.Result.Mixed {
		return nil
	}
	for _, k := range seen.Reading.KCMs {
		if !k.Mode().IsMigrating() {
			return &fault.Error{Class: fault.Stale, Reason: "FlagMissing", Object: k.Name(),
				Seen: "has no enable-leader-migration", Wanted: "the flag on every one: without it, it runs service and route beside the CCM",
				Fix: "run again: enable-leader-migration comes first"}
		}
	}
	if err := audit.RequireAlone(ctx, s.Access, seen); err != nil {
		return err
	}
	return s.Chart().Apply(ctx, tx, seen, true)
}

func (s *install) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(guard.SignalsOf(seen)); err != nil {
		return migration.Braked(err), nil
	}
	verdict, err := s.Chart().Judge(ctx, seen)
	if err != nil || verdict.Kind != runner.Met {
		return verdict, err
	}
	verdict.Steady = runner.Steady{For: settleTime(seen.Reading), What: fmt.Sprintf("the same pods without a restart for %s", settleTime(seen.Reading))}
	if open := seen.Reading.Pending; len(open) > 0 {
		verdict.Kind, verdict.WaitingFor, verdict.Seen = runner.Waiting, "the cluster to come to rest", migration.SummarizePending(open)
		verdict.Err = seen.Reading.HeldUpBy()
		return verdict, nil
	}
	owner := seen.Reading.LeaseVerdict()
	verdict.Evidence = append(verdict.Evidence, fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner))
	return verdict, nil
}

// undoInstall takes the cloud controller manager away. Every
// kube-controller-manager is in-tree with the flag by then, and the leader among
// them waits for the migration lease.
type undoInstall struct{ base }

func (s *undoInstall) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	plan := runner.Plan{Summary: []string{"− " + chart.Name(seen)}, Takes: 2 * runner.Minute}
	oneHandOver(&plan, seen)
	return plan, nil
}

func (s *undoInstall) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	// A document may be there before anything of its chart is.
	if gone(seen) && !seen.Reading.Down.Record && seen.InstallMethod != migration.InstallManifest {
		return nil
	}
	if err := somebodyTakesOver(seen); err != nil {
		return err
	}
	if err := s.requireRestOrOurPause(seen); err != nil {
		return err
	}
	if seen.InstallMethod == migration.InstallManifest {
		edit, err := s.Backend.Document(seen, "")
		if err != nil || edit.Empty() {
			return err
		}
		return edit.Write(ctx, tx)
	}
	return s.uninstall(ctx, tx)
}

// somebodyTakesOver refuses to end a CCM that nobody would take over from.
func somebodyTakesOver(s migration.Snapshot) error {
	if gone(s) {
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

func gone(s migration.Snapshot) bool {
	return s.Reading.Down.CCM == nil && len(s.Reading.Down.CCMPods) == 0
}

func (s *undoInstall) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(guard.SignalsOf(seen)); err != nil {
		return migration.Braked(err), nil
	}
	owner := seen.Reading.LeaseVerdict()
	var open []string
	wait := func(yes bool, format string, args ...any) {
		if yes {
			open = append(open, fmt.Sprintf(format, args...))
		}
	}
	wait(seen.Reading.Down.CCM != nil, "DaemonSet kube-system/%s is still there", wellknown.CCM)
	wait(len(seen.Reading.Down.CCMPods) > 0, "%d of its pods are still there", len(seen.Reading.Down.CCMPods))
	wait(seen.Result.Position >= position.P2 && (owner.Owner != lease.KCM || owner.Life != lease.Alive), "migration lease: %s", owner.Text())
	wait(chart.LeaseLeft(seen.Reading), "the CCM's own Lease kube-system/%s is not idle for long enough to be removed", wellknown.CCMLease)
	for _, u := range seen.Reading.Pending {
		wait(!u.OurPause, "%s %s", u.Object, u.Seen)
	}
	wait(seen.Reading.Down.Record, "%s is recorded still", chart.HelmObject)
	if len(open) > 0 {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager to go, and a kube-controller-manager to take the migration lease",
			Seen: strings.Join(open, "; "), Progress: strings.Join(open, "; ")}, nil
	}
	return migration.Met("no cloud controller manager is left", fmt.Sprintf("migration lease: %s (kube-controller-manager), renewing", lease.Host(owner.Holder))), nil
}

// WhileWaiting implements runner.WaitingStep.
func (s *undoInstall) WhileWaiting(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if !gone(seen) || !chart.LeaseLeft(seen.Reading) || !seen.Idle(wellknown.CCMLease, seen.Reading.Leases.CCM.Last) {
		return nil
	}
	return s.removeLease(ctx, tx, seen, wellknown.CCMLease)
}
