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

func (p *Procedure) makeSteps() []migration.Step {
	of := func(b migration.Base) base { return base{b, p} }
	return p.Core.Steps(map[runner.StepID]func(migration.Base) migration.Step{
		StepSnapshot: func(b migration.Base) migration.Step { return &snapshot{of(b)} },
		StepEnable:   func(b migration.Base) migration.Step { return newEnable(of(b)) },
		StepSwitch:   func(b migration.Base) migration.Step { return newSwitch(of(b)) },
		StepUpgrade:  func(b migration.Base) migration.Step { return &upgrade{of(b)} },
	})
}
