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
