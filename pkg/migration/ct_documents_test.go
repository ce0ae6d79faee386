package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// documented is a Backend that installs the chart as a document. What it leaves out: where
// the document goes.
type documented struct {
	*editor
	applied []string // documents, and "" for one that was removed
}

func (d *documented) CloudConfig(context.Context, Snapshot) (string, error) { return "", nil }

func (d *documented) Document() DocumentInstaller { return d }

func (d *documented) PlanDocument(_ Snapshot, document string) ([]runner.Change, error) {
	return []runner.Change{{Object: "document", Diff: document}}, nil
}

func (d *documented) ApplyDocument(_ context.Context, _ *runner.Tx, _ Snapshot, document string) error {
	d.applied = append(d.applied, document)
	return nil
}

func (d *documented) RemoveDocument(context.Context, *runner.Tx, Snapshot) error {
	d.applied = append(d.applied, "")
	return nil
}
