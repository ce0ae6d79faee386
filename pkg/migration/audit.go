package migration

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/release"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Prepared is what the steps to come would do, for the checks of a Backend.
type Prepared struct {
	ChartErr   error // the chart's values, or what is found in the cluster, forbid the installation
	Concerns   []ccmchart.Concern
	Admission  verify.Read[downstream.Admission]
	PlannedSet *downstream.DaemonSet
	RestErr    error // the unrest of the configuration's side and of the Nodes
	// Untried is why the installation was not computed; "": it was.
	Untried string
	Stands  position.Position
	Writes  bool // the run has a step left that writes
}

// Untried is the reason of checks of an installation that nobody prepares.
const Untried = "the installation is tried by verify --preflight, and by the preflight of a run"

// ChartFindings say what keeps the chart from being installed.
func (p Prepared) ChartFindings() []verify.Finding {
	if p.Untried != "" {
		return verify.Skipped(p.Untried)
	}
	return verify.FindingOf(p.ChartErr)
}

// ConcernFindings are the chart values that somebody should know of, or that
// forbid the installation.
func (p Prepared) ConcernFindings() []verify.Finding {
	if p.Untried != "" {
		return verify.Skipped(p.Untried)
	}
	var found []verify.Finding
	for _, c := range p.Concerns {
		status := verify.Warn
		if c.Blocking {
			status = verify.Fail
		}
		found = append(found, verify.Finding{Status: status, Object: "chart value " + c.Key, Seen: c.Seen, Wanted: c.Why})
	}
	return found
}

// prepare computes the installation without making it, so that what would stop
// a later step stops the run before its first write.
func (m *Migration) prepare(ctx context.Context, seen Snapshot) Prepared {
	out := Prepared{RestErr: m.requireRest(seen), Stands: seen.Result.Position, Writes: m.Writes(seen)}
	switch {
	case seen.Result.Position.AtLeast(position.P3):
		return out // no check judges the installation any more
	case m.Options.LookOnly:
		out.Untried = Untried
		return out
	}
	ch, values, err := m.chartValues(ctx, seen, true)
	out.Concerns, out.ChartErr = values.Concerns, err
	if err != nil {
		return out
	}
	installer, err := release.NewInstaller(m.Config, ch, m.Clock)
	if err != nil {
		out.ChartErr = err
		return out
	}
	if seen.InstallMethod == InstallHelm {
		_, out.ChartErr = installer.Plan(ctx, values.Values)
	}
	objects, err := ccmchart.Render(ch, values.Values, seen.Reading.Version)
	if err != nil {
		out.ChartErr = err
		return out
	}
	set, err := ccmchart.DaemonSetOf(objects)
	if err != nil {
		out.ChartErr = err
		return out
	}
	out.PlannedSet = plannedSet(set)
	out.Admission = m.tryAdmission(ctx, set)
	return out
}

func (m *Migration) tryAdmission(ctx context.Context, set *appsv1.DaemonSet) verify.Read[downstream.Admission] {
	answer, err := release.TryAdmission(ctx, m.Kube, set)
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

// Audited is Met once the audit of a finished step has no failing check. What
// it lists then is a fault and not a wait: nothing moves any more.
func (m *Migration) Audited(ctx context.Context, seen Snapshot, evidence ...string) (runner.Verdict, error) {
	report, _, err := m.inspect(ctx, seen)
	if err != nil {
		return runner.Verdict{}, err
	}
	if err := JudgeReport(report, m.Options); err != nil {
		return Failed(err), nil
	}
	v := Met(append(evidence, "audit: "+countsOf(report))...)
	v.Stable = 1
	return v, nil
}

// JudgeReport is the error that a report comes to; it adds warnings to what stops, if the user wants that.
func JudgeReport(report verify.Report, options Options) error {
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
