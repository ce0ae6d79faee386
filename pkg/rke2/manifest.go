package rke2

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// chartRef identifies the HelmChart document of the install method additional-manifest.
var chartRef = edits.Chart{Namespace: wellknown.System, Name: wellknown.CCM}

// Document implements migration.Backend.
func (b *Backend) Document(snap migration.Snapshot, documents ...string) (migration.Edit, error) {
	f := rancherFacts(snap)
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
	edit, err := removal(snap)
	if document := documents[last]; document != "" {
		edit, err = edits.SetChartManifest(spec, chartRef, document)
	}
	return migration.Edit{Object: f.ObjectName(), Changes: planChanges(f.ObjectName(), edit),
		Write: func(ctx context.Context, tx *runner.Tx) error { return b.writeEdit(ctx, tx, f, edit) }}, err
}

// removal returns the edit that removes the chart's document. The journal shows how it was
// added. Its current text may differ: later steps write it again with another flag or image.
func removal(snap migration.Snapshot) (edits.Edit, error) {
	spec := rancherFacts(snap).Cluster.Spec
	for _, intent := range snap.Record.IntentsToUndo(migration.StepInstall, rancherFacts(snap).ObjectName()) {
		inverse, err := edits.ParseInverse(intent.Inverse)
		if err != nil {
			return edits.Edit{}, snap.Record.Foreign(intent, err)
		}
		if edit, added, err := inverse.RemoveChart(spec, chartRef); err != nil || added {
			return edit, err
		}
	}
	return edits.RemoveChartManifest(spec, chartRef)
}

// installedAs returns the install method of the chart. The journal answers if the document
// is gone while its pods are still terminating.
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
