package rke2

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// chartRef is the HelmChart document of the install method additional-manifest.
var chartRef = edits.Chart{Namespace: wellknown.System, Name: wellknown.CCM}

// Document implements migration.Backend.
func (b *Backend) Document() migration.DocumentInstaller { return b }

// PlanDocument implements migration.DocumentInstaller.
func (b *Backend) PlanDocument(seen migration.Snapshot, documents ...string) ([]runner.Change, error) {
	spec := factsOf(seen).Cluster.Spec
	var edit edits.Edit
	for i, document := range documents {
		var err error
		if edit, err = edits.SetChartManifest(spec, chartRef, document); err != nil {
			return nil, err
		}
		if i == len(documents)-1 {
			break
		}
		if spec, err = edit.Apply(spec); err != nil {
			return nil, err
		}
	}
	return changesOf(factsOf(seen).ObjectName(), edit), nil
}

// ApplyDocument implements migration.DocumentInstaller.
func (b *Backend) ApplyDocument(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, document string) error {
	edit, err := edits.SetChartManifest(factsOf(seen).Cluster.Spec, chartRef, document)
	if err != nil || edit.Empty() {
		return err
	}
	if err := seen.Reading.RequireSettled(); err != nil {
		return err
	}
	return b.writeEdit(ctx, tx, factsOf(seen), edit)
}

// RemoveDocument implements migration.DocumentInstaller.
func (b *Backend) RemoveDocument(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	edit, err := removal(seen)
	if err != nil || edit.Empty() {
		return err
	}
	return b.writeEdit(ctx, tx, factsOf(seen), edit)
}

// removal returns the edit that takes the document out as the journal says it went in,
// whatever its text is by now: later steps write it again, with another flag or image.
func removal(seen migration.Snapshot) (edits.Edit, error) {
	spec := factsOf(seen).Cluster.Spec
	for _, intent := range seen.Record.ToTakeBack(migration.StepInstall, factsOf(seen).ObjectName()) {
		inverse, err := edits.ParseInverse(intent.Inverse)
		if err != nil {
			return edits.Edit{}, seen.Record.Foreign(intent, err)
		}
		if edit, added, err := inverse.RemoveChart(spec, chartRef); err != nil || added {
			return edit, err
		}
	}
	return edits.RemoveChartManifest(spec, chartRef)
}

// installedAs returns how the chart is, or last was, in the cluster. A document that is gone
// while its pods still end is known from the journal.
func (o observed) installedAs() migration.InstallMethod {
	if _, found, err := edits.ChartManifest(o.Cluster.Spec, chartRef); err == nil && found {
		return migration.InstallManifest
	}
	for _, intent := range slices.Backward(o.record.Intents) {
		if intent.Step == migration.StepInstall {
			if intent.Object == o.ObjectName() {
				return migration.InstallManifest
			}
			break
		}
	}
	return migration.InstallHelm
}
