package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Base is what every step shares. A step of a Side embeds it too.
type Base struct {
	*Core
	ID journal.StepID
}

// Info implements runner.Step.
func (b Base) Info() runner.Info { return rowOf(b.ID).info() }

// Plan implements runner.Step for steps that change nothing.
func (b Base) Plan(context.Context, Snapshot) (runner.Plan, error) { return runner.Plan{}, nil }

// Do implements runner.Step for steps that change nothing.
func (b Base) Do(context.Context, *runner.Tx, Snapshot) error { return nil }

// Steps puts the steps in force into their order.
func (c *Core) Steps() []Step { return c.steps(c.order()) }

func (c *Core) steps(ids []journal.StepID) []Step {
	steps := make([]Step, 0, len(ids))
	for _, id := range ids {
		steps = append(steps, rowOf(id).make(Base{Core: c, ID: id}))
	}
	return steps
}

// Met is the verdict that a step's end was seen.
func Met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

// Braked is the verdict that going on would do harm.
func Braked(err error) runner.Verdict { return runner.Verdict{Kind: runner.Braked, Err: err} }

// Failed is the verdict that waiting does not mend it.
func Failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }
