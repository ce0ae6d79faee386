package rke2

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// inspect reads everything that checks judge and runs them all. It writes
// nothing on any API server but access reviews and dry runs.
func (p *Procedure) inspect(ctx context.Context, record runner.Record) (verify.Report, downstream.Facts, error) {
	if err := p.read(ctx); err != nil {
		return verify.Report{}, downstream.Facts{}, err
	}
	reader, err := kube.New(p.clients.DownstreamConfig, p.clock)
	if err != nil {
		return verify.Report{}, downstream.Facts{}, err
	}
	facts := kube.Read(ctx, reader)
	prepared := p.prepare(ctx)
	facts.Admission = prepared.Admission
	input := checks.Input{
		Facts: facts, Position: p.result, Distribution: checks.RKE2, EndState: checks.EndState(prepared.Choice.State),
		Machines: p.view.machineRefs(), Target: p.options.KubernetesVersion, CloudRoutes: p.options.CloudRoutes,
		Planned: prepared.PlannedSet, ImageAllowed: imageAllowed, Cloud: p.readCloud(ctx, facts),
	}
	if before, known, err := fingerprint(record); err != nil {
		return verify.Report{}, facts, err
	} else if known {
		input.Fingerprint = &before
	}
	bound := append(verify.Bind(prepared, Checks()...), verify.Bind(input, checks.For(checks.RKE2)...)...)
	report := verify.RunAll(ctx, bound, p.options.checks(p.result.Position))
	return report, facts, nil
}

func imageAllowed(image, kubernetes string) error {
	parsed, err := awsccm.ParseImage(image)
	if err != nil {
		return err
	}
	return awsccm.ImageAllowed(parsed, kubernetes)
}

// Prepared is what the checks of this package judge: Rancher's side, and what
// the steps to come would do.
type Prepared struct {
	View
	Options    Options
	Choice     EndStateChoice
	ChoiceErr  error
	EditErr    error // an edit to come cannot be computed
	ChartErr   error // the chart's values, or what is found in the cluster, forbid the installation
	Concerns   []awsccm.Concern
	Admission  verify.Read[downstream.Admission]
	PlannedSet *downstream.DaemonSet
	ClusterErr error // Rancher's and the nodes' unrest
}

// prepare computes the edits and the installation without making them, so that
// what would stop a later step stops the run before its first write.
func (p *Procedure) prepare(ctx context.Context) Prepared {
	out := Prepared{View: p.view, Options: p.options, ClusterErr: p.requireRest()}
	out.Choice, out.ChoiceErr = p.endState()
	if out.ChoiceErr == nil {
		out.EditErr = p.tryEdits()
	}
	ch, values, err := p.chartValues(ctx, true)
	out.Concerns, out.ChartErr = values.Concerns, err
	if err != nil {
		return out
	}
	installer, err := awsccm.NewInstaller(p.clients.DownstreamConfig, ch, p.clock, func(string, ...any) {})
	if err != nil {
		out.ChartErr = err
		return out
	}
	if p.options.InstallMethod == InstallHelm {
		_, out.ChartErr = installer.Plan(ctx, values.Values)
	}
	objects, err := awsccm.Render(ch, values.Values, p.view.Cluster.Spec.KubernetesVersion)
	if err != nil {
		out.ChartErr = err
		return out
	}
	set, err := awsccm.DaemonSetOf(objects)
	if err != nil {
		out.ChartErr = err
		return out
	}
	out.PlannedSet = plannedSet(set)
	out.Admission = p.tryAdmission(ctx, set)
	return out
}

func (p *Procedure) tryAdmission(ctx context.Context, set *appsv1.DaemonSet) verify.Read[downstream.Admission] {
	answer, err := awsccm.TryAdmission(ctx, p.clients.Downstream, set)
	if err != nil {
		return verify.Failed[downstream.Admission](err)
	}
	return verify.Got(downstream.Admission{Allowed: answer.Accepted, Message: answer.Refusal})
}

// plannedSet is a rendered DaemonSet as the checks see one.
func plannedSet(set *appsv1.DaemonSet) *downstream.DaemonSet {
	planned := kube.DaemonSet(set)
	return &planned
}

// preflight runs every check and takes the fingerprint.
type preflight struct{ base }

func (s *preflight) Plan(ctx context.Context) (runner.Plan, error) {
	if err := refused(ctx, s.p.view, s.p.result, s.p.options); err != nil {
		return runner.Plan{}, err
	}
	return runner.Plan{Summary: []string{checkCount()}, Estimate: "~10s"}, nil
}

func (s *preflight) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	report, facts, err := s.p.inspect(ctx, tx.Record())
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := judgeReport(report, s.p.options); err != nil {
		begun := s.p.inProgress(tx.Record())
		if begun == "" {
			return failed(err), nil
		}
		// The write that this would prevent has been made. Leaving it alone half
		// way helps nobody; its own waits and the guard judge it, and the next
		// write demands a cluster at rest.
		tx.Warn(fmt.Sprintf("%s is in progress and is taken up again although %v", begun, err))
	}
	if err := s.p.noteFingerprint(ctx, tx, facts); err != nil {
		return runner.Verdict{}, err
	}
	return met(checkSummary(report)...), nil
}

// audit compares the cluster with the fingerprint, by the same checks.
type audit struct{ base }

func (s *audit) Plan(context.Context) (runner.Plan, error) {
	return runner.Plan{Summary: []string{checkCount() + ", compared with the fingerprint of preflight"}, Estimate: "~10s"}, nil
}

func (s *audit) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	report, _, err := s.p.inspect(ctx, tx.Record())
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := judgeReport(report, s.p.options); err != nil {
		begun := s.p.inProgress(tx.Record())
		if begun == "" {
			return failed(err), nil
		}
		// The step in progress ends with an audit of its own.
		tx.Warn(fmt.Sprintf("%s is in progress and is taken up again although %v", begun, err))
	}
	return met(checkSummary(report)...), nil
}

// audited is Met once the audit of a finished step has no failing check. What
// it lists then is a fault and not a wait: nothing moves any more.
func (p *Procedure) audited(ctx context.Context, tx *runner.Tx, evidence ...string) (runner.Verdict, error) {
	report, _, err := p.inspect(ctx, tx.Record())
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := judgeReport(report, p.options); err != nil {
		return failed(err), nil
	}
	v := met(append(evidence, "audit: "+countsOf(report))...)
	v.Stable = 1
	return v, nil
}

// judgeReport adds warnings to what stops, if the user wants that.
func judgeReport(report verify.Report, options Options) error {
	if err := report.Err(); fault.ClassOf(err) == fault.Usage {
		return err
	} else if err != nil {
		others := faultsOf(report, verify.Fail, verify.Unknown)
		return errors.Join(append([]error{err}, others[min(1, len(others)):]...)...) // Err tells the first
	}
	if options.FailOnWarning {
		return errors.Join(faultsOf(report, verify.Warn)...)
	}
	return nil
}

// tryEdits computes both edits, one after the other, without writing them.
func (p *Procedure) tryEdits() error {
	if p.result.Position >= position.P4 && p.result.Position != position.Unknown {
		return nil
	}
	spec := p.view.Cluster.Spec
	first, err := config.EnableLeaderMigration(spec, p.view.editMachines())
	if err != nil {
		return err
	}
	if spec, err = first.Apply(spec); err != nil {
		return err
	}
	choice, err := p.endState()
	if err != nil {
		return err
	}
	_, err = config.SwitchProvider(spec, p.view.editMachines(), editState(choice))
	return err
}
