package procedure

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// base is what every step shares.
type base struct {
	*Migration

	ID journal.StepID
}

// Info implements runner.Step.
func (b base) Info() runner.Info { return rowOf(b.ID).info() }

// Plan implements runner.Step for steps that change nothing.
func (b base) Plan(context.Context, migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{}, nil
}

// Do implements runner.Step for steps that change nothing.
func (b base) Do(context.Context, *runner.Tx, migration.Snapshot) error { return nil }

// requireRest stops before a write unless everything is where it should be.
func (m *Migration) requireRest(seen migration.Snapshot) error {
	return seen.Reading.RequireSettled(m.Backend.Summarize)
}
