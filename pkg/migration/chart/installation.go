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

// Plan returns the changes that an installation would make.
func (c Chart) Plan(ctx context.Context, snap migration.Snapshot, flagged bool) (runner.Plan, error) {
	ch, values, err := c.Values(ctx, snap, flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	plan := planWithNotes(values)
	if snap.InstallMethod == migration.InstallManifest {
		return c.planDocument(snap, plan, ch, values)
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

// PlanAfterInstall returns the changes that a later installation with the other flag would
// make to the result of install-ccm. A user who approves a plan thereby approves all its
// writes, including those after the installation.
func (c Chart) PlanAfterInstall(ctx context.Context, snap migration.Snapshot, flagged bool) (runner.Plan, error) {
	installed := c
	installed.OnDelete = false
	ch, before, err := installed.Values(ctx, snap, !flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	_, values, err := c.Values(ctx, snap, flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	if snap.InstallMethod == migration.InstallManifest {
		return c.planDocument(snap, planWithNotes(values), ch, before, values)
	}
	return c.planAfter(ch, before, values)
}

// PlanReplacement returns the changes of an installation whose pods awsmigrate replaces: those
// for the other flag, and the last one, which gives the DaemonSet its own strategy back. later
// reports whether the installation with the present flag is not made yet.
func (c Chart) PlanReplacement(ctx context.Context, snap migration.Snapshot, flagged, later bool) (runner.Plan, error) {
	on := c
	on.OnDelete = true
	ch, between, err := on.Values(ctx, snap, flagged)
	if err != nil {
		return runner.Plan{}, err
	}
	plan, err := on.planFirst(ctx, snap, flagged, later)
	if err != nil {
		return plan, err
	}
	_, values, err := c.Values(ctx, snap, flagged)
	if err != nil {
		return plan, err
	}
	restored, err := c.planAfter(ch, between, values)
	plan.Changes = append(plan.Changes, restored.Changes...)
	return plan, err
}

// planFirst returns the changes for the other flag, of the present installation or of a later one.
func (c Chart) planFirst(ctx context.Context, snap migration.Snapshot, flagged, later bool) (runner.Plan, error) {
	if later {
		return c.PlanAfterInstall(ctx, snap, flagged)
	}
	return c.Plan(ctx, snap, flagged)
}

// planAfter returns the changes of an installation with values after one with before.
func (c Chart) planAfter(ch *chart.Chart, before, values ccmchart.ChartValues) (runner.Plan, error) {
	plan := planWithNotes(values)
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

// planWithNotes returns the plan of an installation with notes on unusual values.
func planWithNotes(values ccmchart.ChartValues) runner.Plan {
	plan := runner.Plan{Takes: runner.Minute}
	for _, carried := range values.Carried {
		plan.Notes = append(plan.Notes, "carried over from kube-controller-manager: "+carried)
	}
	for _, dropped := range values.DroppedKeys {
		plan.Notes = append(plan.Notes, "cloud config key left out, the CCM does not know it: "+dropped)
	}
	if note := awsccm.NoteOn(values.Image); note != "" {
		plan.Notes = append(plan.Notes, "image "+shortImage(values.Image)+": "+note)
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

// Name names the object that installs the chart in this cluster, for messages.
func Name(s migration.Snapshot) string {
	if s.InstallMethod == migration.InstallManifest {
		return "HelmChart document in additionalManifest"
	}
	return "Helm release " + wellknown.CCM
}

// operationMark returns the diff mark of an operation: "+" for an installation, else "~".
func operationMark(operation release.Operation) string {
	if operation == release.OpInstall {
		return "+"
	}
	return "~"
}

// shortImage returns only the tag if the repository is upstream's.
func shortImage(image awsccm.Image) string {
	if image.Repository == awsccm.DefaultRepository && image.Tag != "" && image.Digest == "" {
		return image.Tag
	}
	return image.String()
}

// Apply installs or upgrades the chart by the chosen method.
func (c Chart) Apply(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, flagged bool) error {
	ch, values, err := c.Values(ctx, snap, flagged)
	if err != nil {
		return err
	}
	if snap.InstallMethod == migration.InstallManifest {
		return c.applyDocument(ctx, tx, snap, ch, values)
	}
	installer, err := release.NewInstaller(c.Config, ch, c.Clock)
	if err != nil {
		return err
	}
	planned, err := installer.Plan(ctx, values.Values)
	if err != nil || planned.Operation == release.OpNone {
		return err
	}
	if err := snap.Reading.RequireSettled(); err != nil {
		return err
	}
	inverse, err := json.Marshal(map[string]any{"release": wellknown.CCM, "leaderMigration": !flagged, "before": planned.Release.String()})
	if err != nil {
		return err
	}
	intent := journal.Intent{What: fmt.Sprintf("%s Helm release kube-system/%s", planned.Operation, wellknown.CCM),
		Object: HelmObject, Whole: true, Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := installer.Apply(ctx, planned)
		return err
	})
}

// document returns the edit that installs the chart as a HelmChart document. The document has
// the last of values, on top of the edits with the previous ones.
func (c Chart) document(snap migration.Snapshot, ch *chart.Chart, values ...ccmchart.ChartValues) (migration.Edit, error) {
	var documents []string
	for _, v := range values {
		document, err := ccmchart.HelmChartManifest(ch, v.Values)
		if err != nil {
			return migration.Edit{}, err
		}
		documents = append(documents, document)
	}
	return c.Backend.Document(snap, documents...)
}

// planDocument adds the changes of the chart's document with the last of values to plan.
func (c Chart) planDocument(snap migration.Snapshot, plan runner.Plan, ch *chart.Chart, values ...ccmchart.ChartValues) (runner.Plan, error) {
	edit, err := c.document(snap, ch, values...)
	if err != nil {
		return plan, err
	}
	mark := "+"
	if len(values) > 1 || snap.Reading.InstalledAs == migration.InstallManifest {
		mark = "~"
	}
	plan.Summary = []string{mark + " " + Name(snap) + ", image " + shortImage(values[len(values)-1].Image)}
	plan.Changes = edit.Changes
	return plan, nil
}

func (c Chart) applyDocument(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, ch *chart.Chart, values ccmchart.ChartValues) error {
	edit, err := c.document(snap, ch, values)
	if err != nil || edit.Empty() {
		return err
	}
	if err := snap.Reading.RequireSettled(); err != nil {
		return err
	}
	return edit.Write(ctx, tx)
}
