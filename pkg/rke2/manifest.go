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
func (b *Backend) Document(seen migration.Snapshot, documents ...string) (migration.Edit, error) {
	f := factsOf(seen)
	spec, last := f.Cluster.Spec, len(documents)-1
	for _, document := range documents[:last] {
		edit, err := edits.SetChartManifest(spec, chartRef, document)
		if err != nil {
			return migration.Edit{}, err
		}
		if spec, err = edit.Apply(spec); err != nil {
			return migration.Edit{}, err
		}
	}
	edit, err := removal(seen)
	if document := documents[last]; document != "" {
		edit, err = edits.SetChartManifest(spec, chartRef, document)
	}
	return migration.Edit{Object: f.ObjectName(), Changes: changesOf(f.ObjectName(), edit),
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.writeEdit(ctx, tx, f, edit) }}, err
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
