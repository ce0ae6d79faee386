package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// base is what every step of this package shares: the common part, and Rancher's
// side of the cluster.
type base struct {
	migration.Base
	p *Procedure
}

func (p *Procedure) makeSteps() []runner.Step {
	of := func(b migration.Base) base { return base{b, p} }
	return p.Core.Steps(map[runner.StepID]func(migration.Base) runner.Step{
		StepSnapshot: func(b migration.Base) runner.Step { return &snapshot{of(b)} },
		StepEnable:   func(b migration.Base) runner.Step { return newEnable(of(b)) },
		StepSwitch:   func(b migration.Base) runner.Step { return newSwitch(of(b)) },
		StepUpgrade:  func(b migration.Base) runner.Step { return &upgrade{of(b)} },
	})
}
