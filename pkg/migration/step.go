package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Base is what every step shares. A step of a Side embeds it too.
type Base struct {
	*Core
	ID runner.StepID
}

// Info implements runner.Step.
func (b Base) Info() runner.Info { return info(b.ID) }

// Plan implements runner.Step for steps that change nothing.
func (b Base) Plan(context.Context, Snapshot) (runner.Plan, error) { return runner.Plan{}, nil }

// Do implements runner.Step for steps that change nothing.
func (b Base) Do(context.Context, *runner.Tx, Snapshot) error { return nil }

// Steps puts the steps in force into their order: a Side's own, by ID, and those
// that are the same everywhere.
func (c *Core) Steps(own map[runner.StepID]func(Base) Step) []Step {
	common := map[runner.StepID]func(Base) Step{
		StepPreflight:   func(b Base) Step { return &preflight{Base: b} },
		StepLeaseAccess: func(b Base) Step { return &leaseAccess{Base: b} },
		StepCordon:      func(b Base) Step { return &cordon{Base: b} },
		StepInstall:     func(b Base) Step { return &install{Base: b} },
		StepUncordon:    func(b Base) Step { return &uncordon{Base: b} },
		StepVerify:      func(b Base) Step { return &audit{Base: b} },
		StepDisable:     func(b Base) Step { return &disable{Base: b} },
	}
	var steps []Step
	for _, id := range c.order() {
		build, ok := own[id]
		if !ok {
			build = common[id]
		}
		steps = append(steps, build(Base{Core: c, ID: id}))
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
