package clustertest

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// DocumentBackend is a Backend that installs the chart as a document. What it leaves out: where
// the document goes.
type DocumentBackend struct {
	*Editor
	Applied []string // documents, and "" for one that was removed
}

// CloudConfig implements migration.Backend.
func (d *DocumentBackend) CloudConfig(context.Context, migration.Snapshot) (string, error) {
	return "", nil
}

// Document implements migration.Backend.
func (d *DocumentBackend) Document() migration.DocumentInstaller { return d }

// PlanDocument implements migration.DocumentInstaller.
func (d *DocumentBackend) PlanDocument(_ migration.Snapshot, documents ...string) ([]runner.Change, error) {
	return []runner.Change{{Object: "document", Diff: documents[len(documents)-1]}}, nil
}

// ApplyDocument implements migration.DocumentInstaller.
func (d *DocumentBackend) ApplyDocument(_ context.Context, _ *runner.Tx, _ migration.Snapshot, document string) error {
	d.Applied = append(d.Applied, document)
	return nil
}

// RemoveDocument implements migration.DocumentInstaller.
func (d *DocumentBackend) RemoveDocument(context.Context, *runner.Tx, migration.Snapshot) error {
	d.Applied = append(d.Applied, "")
	return nil
}
