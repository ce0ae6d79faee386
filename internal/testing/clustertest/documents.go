package clustertest

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// DocumentBackend fakes a Backend that installs the chart as a document. It omits the location
// of the document.
type DocumentBackend struct {
	*Editor
	Applied []string // applied documents; "" for a removal
}

// CloudConfig implements migration.Backend.
func (d *DocumentBackend) CloudConfig(context.Context, migration.Snapshot) (string, error) {
	return "", nil
}

// Document implements migration.Backend.
func (d *DocumentBackend) Document(_ migration.Snapshot, documents ...string) (migration.Edit, error) {
	document := documents[len(documents)-1]
	return migration.Edit{Changes: []runner.Change{{Object: "document", Diff: document}},
		Write: func(context.Context, *runner.Tx) error {
			d.Applied = append(d.Applied, document)
			return nil
		}}, nil
}
