package rke2

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// settle is two durations of the CCM's own lease: one that crashes at start, or
// loses its lease, shows within it.
func (p *Procedure) settle() time.Duration {
	if held := p.view.Leases.CCM.Last.Duration; held > 0 {
		return 2 * held
	}
	return 2 * component.DefaultLeaseDuration
}

// install puts the CCM beside the kube-controller-managers. It takes its own
// lease and waits for the migration lease, which stays with them: with leader
// migration on both sides an early CCM runs nothing that they run.
type install struct {
	base
	token string    // the pods and their restarts, as last seen
	since time.Time // since when they have been so
}

func (s *install) Plan(ctx context.Context) (runner.Plan, error) { return s.p.planChart(ctx, true) }

func (s *install) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.read(ctx); err != nil {
		return err
	}
	if s.p.result.Position == position.P3 && !s.p.result.Mixed {
		return nil
	}
	for _, k := range s.p.view.KCMs() {
		if !k.Flagged() {
			return &fault.Error{Class: fault.Stale, Reason: "FlagMissing", Object: "kube-controller-manager of Machine " + k.Machine.Name,
				Seen: "has no enable-leader-migration", Wanted: "the flag on every one: without it, it runs service and route beside the CCM",
				Fix: "run again: enable-leader-migration comes first"}
		}
	}
	return s.p.applyChart(ctx, tx, true)
}

func (s *install) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	if err := s.p.read(ctx); err != nil {
		return runner.Verdict{}, err
	}
	if err := s.p.guard.Judge(s.p.sighting(tx)); err != nil {
		return brake(err), nil
	}
	verdict, err := s.p.judgeCCM(ctx)
	if err != nil || verdict.Kind != runner.Met {
		s.token = ""
		return verdict, err
	}
	if token := verdict.Progress; token != s.token {
		s.token, s.since = token, s.p.clock.Now()
	}
	if s.p.clock.Since(s.since) < s.p.settle() {
		verdict.Kind = runner.Waiting
		verdict.WaitingFor = fmt.Sprintf("the same pods without a restart for %s", s.p.settle())
		return verdict, nil
	}
	if open := s.p.view.AtRest(); len(open) > 0 {
		verdict.Kind, verdict.WaitingFor, verdict.Seen = runner.Waiting, "Rancher to finish", SummariseUnrest(open)
		return verdict, nil
	}
	owner := s.p.view.LeaseVerdict()
	verdict.Evidence = append(verdict.Evidence, fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner))
	return verdict, nil
}

// judgeCCM says whether the CCM runs everywhere it should and leads, and if
// not, why.
func (p *Procedure) judgeCCM(ctx context.Context) (runner.Verdict, error) {
	rollout, err := p.rollout(ctx)
	if err != nil {
		return runner.Verdict{}, err
	}
	judged := awsccm.JudgeDaemonSet(rollout)
	v := runner.Verdict{Kind: runner.Waiting, WaitingFor: "the cloud controller manager on every control plane",
		Seen: judged.Seen, Progress: judged.Token, Done: judged.Done, Total: judged.Total}
	if judged.State == awsccm.RolloutFault {
		return failed(judged.Err), nil
	}
	if err := p.installJobFault(ctx); err != nil {
		return failed(err), nil
	}
	if judged.State != awsccm.RolloutReady {
		return v, nil
	}
	if err := p.missingRights(ctx); err != nil {
		return failed(err), nil
	}
	main := lease.JudgeMain(p.view.Leases.CCM, 10*time.Second)
	if main.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the cloud controller manager to take its own lease", fmt.Sprintf("Lease kube-system/%s: %s", ccmLease, main.Life)
		return v, nil
	}
	owner := p.view.LeaseVerdict()
	if (owner.Owner != lease.KCM && owner.Owner != lease.CCM) || owner.Life != lease.Alive {
		v.WaitingFor, v.Seen = "the migration lease to be held and renewing", fmt.Sprintf("%s, %s", owner.Owner, owner.Life)
		return v, nil
	}
	v.Kind, v.Evidence = runner.Met, []string{judged.Seen + ", one of them leads"}
	return v, nil
}

// planChart shows what the installation would change.
func (p *Procedure) planChart(ctx context.Context, migration bool) (runner.Plan, error) {
	ch, values, err := p.chartValues(ctx, migration)
	if err != nil {
		return runner.Plan{}, err
	}
	plan := runner.Plan{Estimate: "~1m"}
	for _, dropped := range values.DroppedKeys {
		plan.Notes = append(plan.Notes, "cloud config key left out, the CCM does not know it: "+dropped)
	}
	for _, concern := range values.Concerns {
		plan.Notes = append(plan.Notes, fmt.Sprintf("%s: %s (%s)", concern.Key, concern.Seen, concern.Why))
	}
	if p.options.InstallMethod == InstallManifest {
		edit, err := p.manifestEdit(p.view.Cluster.Spec, migration, ch, values)
		if err != nil {
			return plan, err
		}
		plan.Summary = []string{"+ HelmChart document in additionalManifest, image " + shortImage(values.Image)}
		plan.Changes = changesOf(p.view.object(), edit)
		return plan, nil
	}
	installer, err := awsccm.NewInstaller(p.clients.DownstreamConfig, ch, p.clock, func(string, ...any) {})
	if err != nil {
		return plan, err
	}
	planned, err := installer.Plan(ctx, values.Values)
	if err != nil {
		return plan, err
	}
	plan.Summary = []string{fmt.Sprintf("%s Helm release %s, image %s", operationMark(planned.Operation), ccmName, shortImage(values.Image))}
	for _, change := range planned.Changes {
		plan.Changes = append(plan.Changes, runner.Change{Object: change.Object, Diff: change.Diff})
	}
	return plan, nil
}

// operationMark tells an installation from a change, as in the diffs.
func operationMark(operation awsccm.Operation) string {
	if operation == awsccm.OpInstall {
		return "+"
	}
	return "~"
}

// shortImage is the tag alone where the repository is upstream's.
func shortImage(image awsccm.Image) string {
	if image.Repository == awsccm.DefaultRepository && image.Tag != "" && image.Digest == "" {
		return image.Tag
	}
	return image.String()
}

// applyChart installs or upgrades the chart by the chosen method.
func (p *Procedure) applyChart(ctx context.Context, tx *runner.Tx, migration bool) error {
	ch, values, err := p.chartValues(ctx, migration)
	if err != nil {
		return err
	}
	if p.options.InstallMethod == InstallManifest {
		edit, err := p.manifestEdit(p.view.Cluster.Spec, migration, ch, values)
		if err != nil || edit.Empty() {
			return err
		}
		if err := p.requireRest(); err != nil {
			return err
		}
		return p.writeEdit(ctx, tx, edit)
	}
	installer, err := awsccm.NewInstaller(p.clients.DownstreamConfig, ch, p.clock, func(string, ...any) {})
	if err != nil {
		return err
	}
	planned, err := installer.Plan(ctx, values.Values)
	if err != nil || planned.Operation == awsccm.OpNone {
		return err
	}
	if err := p.requireRest(); err != nil {
		return err
	}
	inverse, err := json.Marshal(map[string]any{"release": ccmName, "leaderMigration": !migration, "before": planned.Release.String()})
	if err != nil {
		return err
	}
	intent := runner.Intent{What: fmt.Sprintf("%s Helm release kube-system/%s", planned.Operation, ccmName),
		Object: "Helm release kube-system/" + ccmName, Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := installer.Apply(ctx, planned)
		return err
	})
}
