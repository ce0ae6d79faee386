package chart

import (
	"context"
	"encoding/json"
	"fmt"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/release"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Plan shows what the installation would change.
func (c Chart) Plan(ctx context.Context, seen migration.Snapshot, flagged bool) (runner.Plan, error) {
	ch, values, err := c.Values(ctx, seen, flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	plan := noted(values)
	if seen.InstallMethod == migration.InstallManifest {
		return c.planDocument(seen, plan, ch, values)
	}
	installer, err := release.NewInstaller(c.Config, ch, c.Clock)
	if err != nil {
		return plan, err
	}
	planned, err := installer.Plan(ctx, values.Values)
	if err != nil {
		return plan, err
	}
	return withRelease(plan, planned, values), nil
}

// PlanAfterInstall shows what a later installation with another flag would change, as
// install-ccm leaves the chart: a yes to a plan is one to all that it writes, and not to
// what somebody may decide once the CCM is there.
func (c Chart) PlanAfterInstall(ctx context.Context, seen migration.Snapshot, flagged bool) (runner.Plan, error) {
	ch, before, err := c.Values(ctx, seen, !flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	_, values, err := c.Values(ctx, seen, flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	plan := noted(values)
	if seen.InstallMethod == migration.InstallManifest {
		return c.planDocument(seen, plan, ch, before, values)
	}
	installer, err := release.NewInstaller(c.Config, ch, c.Clock)
	if err != nil {
		return plan, err
	}
	planned, err := installer.PlanAfter(before.Values, values.Values)
	if err != nil {
		return plan, err
	}
	return withRelease(plan, planned, values), nil
}

// noted is the plan of an installation with what a reader should know of its values.
func noted(values ccmchart.ChartValues) runner.Plan {
	plan := runner.Plan{Takes: runner.Minute}
	for _, dropped := range values.DroppedKeys {
		plan.Notes = append(plan.Notes, "cloud config key left out, the CCM does not know it: "+dropped)
	}
	for _, concern := range values.Concerns {
		plan.Notes = append(plan.Notes, fmt.Sprintf("%s: %s (%s)", concern.Key, concern.Seen, concern.Why))
	}
	return plan
}

func withRelease(plan runner.Plan, planned *release.InstallPlan, values ccmchart.ChartValues) runner.Plan {
	plan.Summary = []string{fmt.Sprintf("%s Helm release %s, image %s", operationMark(planned.Operation), wellknown.CCM, shortImage(values.Image))}
	for _, change := range planned.Changes {
		plan.Changes = append(plan.Changes, runner.Change{Object: change.Object, Diff: change.Diff, SHA256: runner.Digest(change.Before, change.After), Form: runner.ObjectDiff})
	}
	return plan
}

// Name is what carries the chart in this cluster.
func Name(s migration.Snapshot) string {
	if s.InstallMethod == migration.InstallManifest {
		return "HelmChart document in additionalManifest"
	}
	return "Helm release " + wellknown.CCM
}

// operationMark tells an installation from a change, as in the diffs.
func operationMark(operation release.Operation) string {
	if operation == release.OpInstall {
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

// Apply installs or upgrades the chart by the chosen method.
func (c Chart) Apply(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, flagged bool) error {
	ch, values, err := c.Values(ctx, seen, flagged)
	if err != nil {
		return err
	}
	if seen.InstallMethod == migration.InstallManifest {
		return c.applyDocument(ctx, tx, seen, ch, values)
	}
	installer, err := release.NewInstaller(c.Config, ch, c.Clock)
	if err != nil {
		return err
	}
	planned, err := installer.Plan(ctx, values.Values)
	if err != nil || planned.Operation == release.OpNone {
		return err
	}
	if err := seen.Reading.RequireSettled(); err != nil {
		return err
	}
	inverse, err := json.Marshal(map[string]any{"release": wellknown.CCM, "leaderMigration": !flagged, "before": planned.Release.String()})
	if err != nil {
		return err
	}
	intent := journal.Intent{What: fmt.Sprintf("%s Helm release kube-system/%s", planned.Operation, wellknown.CCM),
		Object: "Helm release kube-system/" + wellknown.CCM, Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := installer.Apply(ctx, planned)
		return err
	})
}

// document returns the edit that installs the chart as one HelmChart document with the last
// of values, on top of those before it.
func (c Chart) document(seen migration.Snapshot, ch *chart.Chart, values ...ccmchart.ChartValues) (migration.Edit, error) {
	var documents []string
	for _, v := range values {
		document, err := ccmchart.HelmChartManifest(ch, v.Values)
		if err != nil {
			return migration.Edit{}, err
		}
		documents = append(documents, document)
	}
	return c.Backend.Document(seen, documents...)
}

// planDocument shows what the chart's document changes with the last of values, on top of
// those before it.
func (c Chart) planDocument(seen migration.Snapshot, plan runner.Plan, ch *chart.Chart, values ...ccmchart.ChartValues) (runner.Plan, error) {
	edit, err := c.document(seen, ch, values...)
	if err != nil {
		return plan, err
	}
	mark := "+"
	if len(values) > 1 || seen.Reading.InstalledAs == migration.InstallManifest {
		mark = "~"
	}
	plan.Summary = []string{mark + " " + Name(seen) + ", image " + shortImage(values[len(values)-1].Image)}
	plan.Changes = edit.Changes
	return plan, nil
}

func (c Chart) applyDocument(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, ch *chart.Chart, values ccmchart.ChartValues) error {
	edit, err := c.document(seen, ch, values)
	if err != nil || edit.Empty() {
		return err
	}
	if err := seen.Reading.RequireSettled(); err != nil {
		return err
	}
	return edit.Write(ctx, tx)
}
