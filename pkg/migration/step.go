package migration

import (
	"context"

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
func (b base) Plan(context.Context, Snapshot) (runner.Plan, error) { return runner.Plan{}, nil }

// Do implements runner.Step for steps that change nothing.
func (b base) Do(context.Context, *runner.Tx, Snapshot) error { return nil }

// Met is the verdict that a step's end was seen.
func Met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

// Braked is the verdict that going on would do harm.
func Braked(err error) runner.Verdict { return runner.Verdict{Kind: runner.Braked, Err: err} }

// Failed is the verdict that waiting does not mend it.
func Failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }
