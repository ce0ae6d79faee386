package audit

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/release"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// prepare computes the installation without installing. An obstacle to a later step thereby
// stops the run before its first write.
func (a Auditor) prepare(ctx context.Context, snap migration.Snapshot, writes bool) migration.Prepared {
	out := migration.Prepared{RestErr: snap.Reading.RequireSettled(), Stands: snap.Result.Position, Writes: writes}
	switch {
	case snap.Result.Position.AtLeast(position.P3):
		return out // checks judge the installation only before P3
	case a.Options.ReadOnly:
		out.NotPreviewed = migration.NotPreviewed
		return out
	}
	ch, values, err := a.chart().Values(ctx, snap, true)
	out.Concerns, out.ChartErr = values.Concerns, err
	if err != nil {
		return out
	}
	installer, err := release.NewInstaller(a.Config, ch, a.Clock)
	if err != nil {
		out.ChartErr = err
		return out
	}
	if snap.InstallMethod == migration.InstallHelm {
		_, out.ChartErr = installer.Plan(ctx, values.Values)
	}
	objects, err := ccmchart.Render(ch, values.Values, snap.Reading.Version)
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
	out.Admission = a.tryAdmission(ctx, set)
	return out
}

func (a Auditor) tryAdmission(ctx context.Context, set *appsv1.DaemonSet) verify.Read[downstream.Admission] {
	answer, err := release.TryAdmission(ctx, a.Kube, set)
	if err != nil {
		return verify.Failed[downstream.Admission](err)
	}
	return verify.Got(downstream.Admission{Allowed: answer.Accepted, Message: answer.Refusal})
}

// plannedSet converts a rendered DaemonSet for the checks.
func plannedSet(set *appsv1.DaemonSet) *downstream.DaemonSet {
	planned := kube.DaemonSet(set)
	return &planned
}
