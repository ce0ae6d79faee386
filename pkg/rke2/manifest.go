package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// chartRef is the HelmChart document of the install method additional-manifest.
var chartRef = config.Chart{Namespace: "kube-system", Name: migration.CCMName}

// PlanDocument implements migration.DocumentInstaller.
func (p *Procedure) PlanDocument(document string) ([]runner.Change, error) {
	edit, err := config.SetChartManifest(p.facts.Cluster.Spec, chartRef, document)
	if err != nil {
		return nil, err
	}
	return changesOf(p.facts.object(), edit), nil
}

// ApplyDocument implements migration.DocumentInstaller.
func (p *Procedure) ApplyDocument(ctx context.Context, tx *runner.Tx, document string) error {
	edit, err := config.SetChartManifest(p.facts.Cluster.Spec, chartRef, document)
	if err != nil || edit.Empty() {
		return err
	}
	if err := p.RequireRest(); err != nil {
		return err
	}
	return p.writeEdit(ctx, tx, edit)
}

// RemoveDocument implements migration.DocumentInstaller.
func (p *Procedure) RemoveDocument(ctx context.Context, tx *runner.Tx) error {
	compute := p.takeBack(migration.StepInstall, func(s config.Spec, _ []config.Machine) (config.Edit, error) {
		return config.RemoveChartManifest(s, chartRef)
	})
	edit, err := compute(p.facts.Cluster.Spec)
	if err != nil || edit.Empty() {
		return err
	}
	return p.writeEdit(ctx, tx, edit)
}

// InstalledAs implements migration.Reverser.
func (p *Procedure) InstalledAs() migration.InstallMethod {
	if _, found, err := config.ChartManifest(p.facts.Cluster.Spec, chartRef); err == nil && found {
		return InstallManifest
	}
	return InstallHelm
}
